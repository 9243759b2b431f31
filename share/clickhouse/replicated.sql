-- The tables of dktrace load on a cluster with replicas, for ClickHouse 18.16 and later. It needs ZooKeeper or
-- Keeper, and the macros {cluster}, {shard} and {replica} in the servers' settings. The cluster of that name in
-- remote_servers has internal_replication. The database must be on all servers.
--
-- 18.16 runs statements of ON CLUSTER with the settings of the profile "default", which must have
-- allow_experimental_low_cardinality_type, and in the default database: so each name has its database before it.
--
-- Each file is on one shard. @TABLE@ is the table on all of them.
--
-- The statements of a section run for each table, column or view that is not there yet.
-- @TABLE@ is its name, @TABLE_MORE@ the name with _MORE, @NAME@ the name within quotes.
-- @DATABASE@ is the database, and @DATABASE_NAME@ its name within quotes.

-- [once]
CREATE TABLE IF NOT EXISTS @DATABASE@.rates_local ON CLUSTER '{cluster}' (
	time DateTime('UTC'), host String, event String, records UInt64
) ENGINE = ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/@DATABASE_NAME@/rates', '{replica}')
	 PARTITION BY toDate(time) ORDER BY (event, host, time);
CREATE TABLE IF NOT EXISTS @DATABASE@.latencies_local ON CLUSTER '{cluster}' (
	time DateTime('UTC'), host String, log String, intervals AggregateFunction(count),
	quantiles AggregateFunction(quantilesTDigest(0.5, 0.9, 0.99, 0.999), Int64)
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/@DATABASE_NAME@/latencies', '{replica}')
	 PARTITION BY toDate(time) ORDER BY (log, host, time);
CREATE TABLE IF NOT EXISTS @DATABASE@.rates ON CLUSTER '{cluster}' AS @DATABASE@.rates_local
	ENGINE = Distributed('{cluster}', @DATABASE@, rates_local);
CREATE TABLE IF NOT EXISTS @DATABASE@.latencies ON CLUSTER '{cluster}' AS @DATABASE@.latencies_local
	ENGINE = Distributed('{cluster}', @DATABASE@, latencies_local);
CREATE VIEW IF NOT EXISTS @DATABASE@.latencies_by_minute ON CLUSTER '{cluster}' AS
	SELECT time, host, log, countMerge(intervals) AS count,
		quantilesTDigestMerge(0.5, 0.9, 0.99, 0.999)(quantiles) AS p50_p90_p99_p999
	FROM @DATABASE@.latencies GROUP BY time, host, log ORDER BY log, host, time;

-- [table]
CREATE TABLE IF NOT EXISTS @DATABASE@.@TABLE_local@ ON CLUSTER '{cluster}' (@COLUMNS@)
	ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/@DATABASE_NAME@/@NAME@', '{replica}')
	PARTITION BY toDate(common_time) ORDER BY (host, common_load, common_time, seq);
CREATE TABLE IF NOT EXISTS @DATABASE@.@TABLE@ ON CLUSTER '{cluster}' AS @DATABASE@.@TABLE_local@
	ENGINE = Distributed('{cluster}', @DATABASE@, @TABLE_local@, common_load);

-- [column]
ALTER TABLE @DATABASE@.@TABLE_local@ ON CLUSTER '{cluster}' ADD COLUMN @COLUMN@;
ALTER TABLE @DATABASE@.@TABLE@ ON CLUSTER '{cluster}' ADD COLUMN @COLUMN@;

-- [drop]
ALTER TABLE @DATABASE@.@TABLE_local@ ON CLUSTER '{cluster}' DROP COLUMN @COLUMN@;
ALTER TABLE @DATABASE@.@TABLE@ ON CLUSTER '{cluster}' DROP COLUMN @COLUMN@;

-- [event]
CREATE MATERIALIZED VIEW IF NOT EXISTS @DATABASE@.@TABLE_by_minute@ ON CLUSTER '{cluster}' TO @DATABASE@.rates_local AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS event, count() AS records
	FROM @DATABASE@.@TABLE_local@ GROUP BY time, host;

-- [log]
CREATE MATERIALIZED VIEW IF NOT EXISTS @DATABASE@.@TABLE_by_minute@ ON CLUSTER '{cluster}' TO @DATABASE@.latencies_local AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS log, countState() AS intervals,
		quantilesTDigestState(0.5, 0.9, 0.99, 0.999)(duration) AS quantiles
	FROM @DATABASE@.@TABLE_local@ GROUP BY time, host;

-- [view]
CREATE VIEW IF NOT EXISTS @DATABASE@.@VIEW@ ON CLUSTER '{cluster}' AS @SELECT@;
