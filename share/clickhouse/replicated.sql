-- The tables of dktrace load on a cluster with replicas, for ClickHouse 18.16 and later. It needs ZooKeeper or
-- Keeper, and the macros {cluster}, {shard} and {replica} in the servers' settings. Not tested.
--
-- Each file is on one shard. @TABLE@ is the table on all of them.
--
-- The statements of a section run for each table, column or view that is not there yet.
-- @TABLE@ is its name, @TABLE_MORE@ the name with _MORE, @NAME@ the name within quotes.

-- [once]
CREATE TABLE IF NOT EXISTS rates_local ON CLUSTER '{cluster}' (
	time DateTime('UTC'), host String, event String, records UInt64
) ENGINE = ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/rates', '{replica}')
	 PARTITION BY toDate(time) ORDER BY (event, host, time);
CREATE TABLE IF NOT EXISTS latencies_local ON CLUSTER '{cluster}' (
	time DateTime('UTC'), host String, log String, intervals AggregateFunction(count),
	quantiles AggregateFunction(quantilesTDigest(0.5, 0.9, 0.99, 0.999), Int64)
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/latencies', '{replica}')
	 PARTITION BY toDate(time) ORDER BY (log, host, time);
CREATE TABLE IF NOT EXISTS rates ON CLUSTER '{cluster}' AS rates_local
	ENGINE = Distributed('{cluster}', currentDatabase(), rates_local);
CREATE TABLE IF NOT EXISTS latencies ON CLUSTER '{cluster}' AS latencies_local
	ENGINE = Distributed('{cluster}', currentDatabase(), latencies_local);
CREATE VIEW IF NOT EXISTS latencies_by_minute ON CLUSTER '{cluster}' AS
	SELECT time, host, log, countMerge(intervals) AS count,
		quantilesTDigestMerge(0.5, 0.9, 0.99, 0.999)(quantiles) AS p50_p90_p99_p999
	FROM latencies GROUP BY time, host, log ORDER BY log, host, time;

-- [table]
CREATE TABLE IF NOT EXISTS @TABLE_local@ ON CLUSTER '{cluster}' (@COLUMNS@)
	ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/@NAME@', '{replica}')
	PARTITION BY toDate(common_time) ORDER BY (host, common_load, common_time, seq);
CREATE TABLE IF NOT EXISTS @TABLE@ ON CLUSTER '{cluster}' AS @TABLE_local@
	ENGINE = Distributed('{cluster}', currentDatabase(), @TABLE_local@, common_load);

-- [column]
ALTER TABLE @TABLE_local@ ON CLUSTER '{cluster}' ADD COLUMN @COLUMN@;
ALTER TABLE @TABLE@ ON CLUSTER '{cluster}' ADD COLUMN @COLUMN@;

-- [event]
CREATE MATERIALIZED VIEW IF NOT EXISTS @TABLE_by_minute@ ON CLUSTER '{cluster}' TO rates_local AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS event, count() AS records
	FROM @TABLE_local@ GROUP BY time, host;

-- [log]
CREATE MATERIALIZED VIEW IF NOT EXISTS @TABLE_by_minute@ ON CLUSTER '{cluster}' TO latencies_local AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS log, countState() AS intervals,
		quantilesTDigestState(0.5, 0.9, 0.99, 0.999)(duration) AS quantiles
	FROM @TABLE_local@ GROUP BY time, host;

-- [view]
CREATE VIEW IF NOT EXISTS @VIEW@ ON CLUSTER '{cluster}' AS @SELECT@;
