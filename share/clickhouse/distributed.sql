-- The tables of dktrace load on several servers without replicas and without ZooKeeper, for ClickHouse 18.16
-- and later. The cluster is named dktrace in the servers' settings (remote_servers).
--
-- Each server must have its tables before the first load of a kind of file: give what
-- "dktrace load --dry-run --layout distributed FILE..." prints to every server.
--
-- Each file is on one shard. @TABLE@ is the table on all of them.
--
-- The statements of a section run for each table, column or view that is not there yet.
-- @TABLE@ is its name, @TABLE_MORE@ the name with _MORE, @NAME@ the name within quotes.

-- [once]
CREATE TABLE IF NOT EXISTS rates_local (
	time DateTime('UTC'), host String, event String, records UInt64
) ENGINE = SummingMergeTree PARTITION BY toDate(time) ORDER BY (event, host, time);
CREATE TABLE IF NOT EXISTS latencies_local (
	time DateTime('UTC'), host String, log String, intervals AggregateFunction(count),
	quantiles AggregateFunction(quantilesTDigest(0.5, 0.9, 0.99, 0.999), Int64)
) ENGINE = AggregatingMergeTree PARTITION BY toDate(time) ORDER BY (log, host, time);
CREATE TABLE IF NOT EXISTS rates AS rates_local
	ENGINE = Distributed(dktrace, currentDatabase(), rates_local);
CREATE TABLE IF NOT EXISTS latencies AS latencies_local
	ENGINE = Distributed(dktrace, currentDatabase(), latencies_local);
CREATE VIEW IF NOT EXISTS latencies_by_minute AS
	SELECT time, host, log, countMerge(intervals) AS count,
		quantilesTDigestMerge(0.5, 0.9, 0.99, 0.999)(quantiles) AS p50_p90_p99_p999
	FROM latencies GROUP BY time, host, log ORDER BY log, host, time;

-- [table]
CREATE TABLE IF NOT EXISTS @TABLE_local@ (@COLUMNS@)
	ENGINE = MergeTree PARTITION BY toDate(common_time) ORDER BY (host, common_load, common_time, seq);
CREATE TABLE IF NOT EXISTS @TABLE@ AS @TABLE_local@
	ENGINE = Distributed(dktrace, currentDatabase(), @TABLE_local@, common_load);

-- [column]
ALTER TABLE @TABLE_local@ ADD COLUMN @COLUMN@;
ALTER TABLE @TABLE@ ADD COLUMN @COLUMN@;

-- [drop]
ALTER TABLE @TABLE_local@ DROP COLUMN @COLUMN@;
ALTER TABLE @TABLE@ DROP COLUMN @COLUMN@;

-- [event]
CREATE MATERIALIZED VIEW IF NOT EXISTS @TABLE_by_minute@ TO rates_local AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS event, count() AS records
	FROM @TABLE_local@ GROUP BY time, host;

-- [log]
CREATE MATERIALIZED VIEW IF NOT EXISTS @TABLE_by_minute@ TO latencies_local AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS log, countState() AS intervals,
		quantilesTDigestState(0.5, 0.9, 0.99, 0.999)(duration) AS quantiles
	FROM @TABLE_local@ GROUP BY time, host;

-- [view]
CREATE VIEW IF NOT EXISTS @VIEW@ AS @SELECT@;
