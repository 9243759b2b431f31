# SPDX-License-Identifier: LGPL-2.1-or-later
# Servers of ClickHouse for the tests: on loopback, with their files in a directory of the test. With DKT_CHDB=DIR,
# where "npm install chdb" ran in DIR, they are the newest engine behind chdb-server.js, and load has the layout recent.
# shellcheck shell=bash disable=SC2034,SC2154

# Skips the tests of the file, with the reason, if there is no ClickHouse.
need_clickhouse()
{
	local command

	# shellcheck disable=SC2086 # words
	for command in ${DKT_CHDB:+node curl} clickhouse-server clickhouse-client openssl; do
		command -v $command >/dev/null || skip "needs $command"
	done
}

# Skips the tests of the file if there is no ZooKeeper.
need_keeper()
{
	command -v java >/dev/null || skip "needs java"
	[ -e /usr/share/java/zookeeper.jar ] || skip "needs zookeeper"
}

# Skips a test of parts of the protocol that chdb-server.js does not have. usage: need_server PART
need_server()
{
	[ -z "${DKT_CHDB:-}" ] || skip "needs $1 of a server"
}

# Puts a dktrace first into the path whose load has the layout. usage: use_layout DIR NAME
use_layout()
{
	mkdir -p "$1"
	cat >"$1/dktrace" <<-END
		#!/bin/sh
		[ "\$1" = load ] || exec $(command -v dktrace) "\$@"
		shift
		exec $(command -v dktrace) load --layout $2 "\$@"
	END
	chmod +x "$1/dktrace"
	PATH=$1:$PATH
}

# Chooses free ports for two servers: $http1, $tcp1, $http2, $tcp2, $https2, $inter1 and $inter2, and $keeper for
# ZooKeeper. The servers are a cluster of two shards. The ports are below those that the kernel gives away, so that no
# connection has one while a server restarts.
choose_ports()
{
	# shellcheck disable=SC2046
	set -- $(python3 -c 'import random, socket
first = int(open("/proc/sys/net/ipv4/ip_local_port_range").read().split()[0])
ports = []
while len(ports) < 8:
    port = random.randrange(first // 2, first)
    try:
        ports.append(socket.create_server(("127.0.0.1", port)))
    except OSError:
        pass
print(*[s.getsockname()[1] for s in ports])')
	export http1=$1 tcp1=$2 http2=$3 tcp2=$4 https2=$5 inter1=$6 inter2=$7 keeper=$8
	# Only these servers know this user: the servers of another test may have taken a port meanwhile.
	export server_user=dkt$BASHPID
}

# Makes a certificate NAME.pem and its key, signed by another one or by itself. It is valid at all times, as the clock
# may be wrong, or set while a test runs. usage: make_certificate NAME HOST [SIGNER]
make_certificate()
{
	: >"$1.index"
	cat >"$1.config" <<-END
		[req]
		distinguished_name = empty
		[empty]
		[ca]
		default_ca = own
		[own]
		database = $1.index
		rand_serial = yes
		default_md = sha256
		policy = any
		x509_extensions = host
		[any]
		commonName = supplied
		[host]
		basicConstraints = CA:true
		subjectAltName = DNS:$2
	END
	openssl req -config "$1.config" -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$2" \
		-keyout "$1.key" -out "$1.request" 2>/dev/null || return
	if [ -n "${3:-}" ]; then
		set -- "$1" "$3" -cert "$3.pem"
	else
		set -- "$1" "$1" -selfsign
	fi
	openssl ca -config "$1.config" -batch -notext -startdate 19700101000000Z -enddate 99991231235959Z \
		-keyfile "$2.key" "${@:3}" -in "$1.request" -out "$1.pem" -outdir "$(dirname "$1")" 2>/dev/null
}

# With HTTPS, DIR/https.pem is the server's certificate. usage: write_config DIR HTTP TCP [HTTPS]
write_config()
{
	mkdir -p "$1"
	echo "$2" >"$1/http"
	local https=
	[ -z "${4:-}" ] || https="<https_port>$4</https_port><openSSL><server>
		<certificateFile>$1/https.pem</certificateFile><privateKeyFile>$1/https.key</privateKeyFile>
		<verificationMode>none</verificationMode><loadDefaultCAFile>false</loadDefaultCAFile>
		</server></openSSL>"
	cat >"$1/config.xml" <<-END
		<yandex>
		<logger><level>warning</level><log>$1/log</log><errorlog>$1/errors</errorlog></logger>
		<http_port>$2</http_port><tcp_port>$3</tcp_port><listen_host>127.0.0.1</listen_host>$https
		<path>$1/</path><tmp_path>$1/tmp/</tmp_path><users_config>users.xml</users_config>
		<default_profile>default</default_profile><default_database>default</default_database>
		<mark_cache_size>5368709</mark_cache_size><timezone>UTC</timezone>
		<remote_servers><dktrace>
			<shard><replica><host>127.0.0.1</host><port>$tcp1</port></replica></shard>
			<shard><replica><host>127.0.0.1</host><port>$tcp2</port></replica></shard>
		</dktrace></remote_servers>
		</yandex>
	END
	cat >"$1/users.xml" <<-END
		<yandex>
		<profiles><default><max_memory_usage>1000000000</max_memory_usage></default>
			<reading><readonly>1</readonly></reading></profiles>
		<quotas><default></default></quotas>
		<users>
		<default><password></password><networks><ip>127.0.0.1</ip></networks>
			<profile>default</profile><quota>default</quota></default>
		<$server_user><password></password><networks><ip>127.0.0.1</ip></networks>
			<profile>default</profile><quota>default</quota></$server_user>
		<reader><password></password><networks><ip>127.0.0.1</ip></networks>
			<profile>reading</profile><quota>default</quota></reader>
		<keeper><password>secret</password><networks><ip>127.0.0.1</ip></networks>
			<profile>default</profile><quota>default</quota></keeper>
		</users>
		</yandex>
	END
}

# Makes a server a replica: after write_config. usage: write_replica DIR INTER NAME
write_replica()
{
	mkdir -p "$1/config.d" "$1/users.d"
	echo "<yandex><profiles><default><allow_experimental_low_cardinality_type>1</allow_experimental_low_cardinality_type>
		</default></profiles></yandex>" >"$1/users.d/replica.xml"
	cat >"$1/config.d/replica.xml" <<-END
		<yandex>
		<zookeeper><node><host>127.0.0.1</host><port>$keeper</port></node>
			<session_timeout_ms>4000</session_timeout_ms></zookeeper>
		<macros><cluster>pair</cluster><shard>1</shard><replica>$3</replica></macros>
		<interserver_http_host>127.0.0.1</interserver_http_host>
		<interserver_http_port>$2</interserver_http_port>
		<distributed_ddl><path>/clickhouse/ddl</path></distributed_ddl>
		<remote_servers><pair><shard><internal_replication>true</internal_replication>
			<replica><host>127.0.0.1</host><port>$tcp1</port></replica>
			<replica><host>127.0.0.1</host><port>$tcp2</port></replica>
		</shard></pair></remote_servers>
		</yandex>
	END
}

# Starts ZooKeeper, whose PID is then in DIR/pid. usage: start_keeper DIR
start_keeper()
{
	mkdir -p "$1"
	printf '%s\n' tickTime=1000 "dataDir=$1" "clientPort=$keeper" clientPortAddress=127.0.0.1 admin.enableServer=false \
		4lw.commands.whitelist=srvr >"$1/zoo.cfg"
	java -cp /usr/share/java/zookeeper.jar org.apache.zookeeper.server.ZooKeeperServerMain "$1/zoo.cfg" \
		</dev/null >"$1/out" 2>&1 3>&- 4>&- &
	echo $! >"$1/pid"
}

# Waits until ZooKeeper serves: 18.16 crashes before that. usage: await_keeper DIR
await_keeper()
{
	local answer

	until { exec 9<>"/dev/tcp/127.0.0.1/$keeper"; } 2>/dev/null && echo srvr >&9 &&
		read -r answer <&9 && [[ $answer = Zookeeper\ version* ]]; do
		kill -0 "$(cat "$1/pid")" || { cat "$1/out" >&2; return 1; }
		sleep 0.05
	done
	exec 9>&-
}

# Starts a server, whose PID is then in DIR/pid. usage: start_server DIR
start_server()
{
	if [ -n "${DKT_CHDB:-}" ]; then
		node "$(dirname "${BASH_SOURCE[0]}")/chdb-server.js" "$DKT_CHDB" "$1" "$(cat "$1/http")" </dev/null >"$1/out" 2>&1 3>&- 4>&- &
		echo $! >"$1/pid"
		return
	fi
	clickhouse-server --config-file="$1/config.xml" </dev/null >"$1/out" 2>&1 3>&- 4>&- &
	echo $! >"$1/pid"
}

# Waits until a server answers. usage: await_server DIR TCP
await_server()
{
	until if [ -n "${DKT_CHDB:-}" ]; then
		curl -s -o /dev/null -d 'SELECT 1' "http://127.0.0.1:$(cat "$1/http")/"
	else
		clickhouse-client --host 127.0.0.1 --port "$2" --user "$server_user" --query 'SELECT 1' >/dev/null 2>&1
	fi; do
		kill -0 "$(cat "$1/pid")" || { cat "$1/out" "$1/errors" >&2; return 1; }
		sleep 0.02
	done
}

# True if a server has ended because another process has taken one of its ports. usage: port_was_taken DIR
port_was_taken()
{
	grep -qs 'Address already in use' "$1/out" "$1/errors" "$1/log"
}

# usage: end_server DIR [SIGNAL]
end_server()
{
	[ -e "$1/pid" ] || return 0
	kill "-${2:-TERM}" "$(cat "$1/pid")" 2>/dev/null
	while kill -0 "$(cat "$1/pid")" 2>/dev/null; do
		sleep 0.01
	done
}

# Runs statements one by one, as HTTP takes only one.
ask_http()
{
	local statement database=default

	while read -r -d ';' statement; do
		case $statement in
		'') ;;
		'USE '*) database=${statement#USE } ;;
		*) curl -sS --fail-with-body --data-binary "$statement" "http://127.0.0.1:$http1/?database=$database" || return ;;
		esac
	done <<<"$1;"
}

# Asks the first server, or that of the port $tcp. usage: ask STATEMENT
ask()
{
	if [ -n "${DKT_CHDB:-}" ]; then
		ask_http "$1"
		return
	fi
	clickhouse-client --host 127.0.0.1 --port "${tcp:-$tcp1}" --multiquery --allow_experimental_low_cardinality_type 1 \
		--output_format_json_quote_64bit_integers 0 --query "$1"
}

# Makes the database of a test anew; its name is $db and its URL $url.
new_database()
{
	db=t$BATS_TEST_NUMBER
	url=http://127.0.0.1:$http1/$db
	ask "CREATE DATABASE $db"
}

# A program of jq: the row without what the databases number themselves. Values of ready-made intervals, which may be
# texts or numbers, are texts on the server.
row_of='del(.host, .seq, .common_load, .common_time) | (.name_of | test("^(block_queue|jbd2|(ext4_)?fsync)")) as $any |
	map_values(if type == "array" then tojson elif $any and type == "number" then tostring else . end)'

# Prints the rows of all tables of events, intervals and answers, sorted: those of SQLite, and the server's.
# usage: all_rows DATABASE; server_rows [DATABASE...]
tables()
{
	dktrace sql "$1" --csv | tail -n +2 | cut -d, -f1 | grep -vxE 'hosts|files|losses|events|classes'
}

all_rows()
{
	local name

	for name in $(tables "$1"); do
		dktrace sql "$1" --json "SELECT '$name' AS name_of, * FROM \"$name\""
	done | jq -S -c "$row_of" | sort
}

server_rows()
{
	local name

	for name in $(tables "$1"); do
		echo "SELECT '$name' AS name_of, * FROM $db.\`$name\` FORMAT JSONEachRow;"
	done >statements
	ask "$(cat statements)" | jq -S -c "$row_of" | sort
}

# usage: same_rows DATABASE
same_rows()
{
	[ -e "$1.rows" ] || all_rows "$1" >"$1.rows"
	server_rows "$1" >have
	at_least 100 "$(wc -l <"$1.rows")"
	diff "$1.rows" have | head -n 20 >differences
	same '' "$(cat differences)" "rows of $1"
}
