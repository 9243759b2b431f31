-- The tables of dktrace load on one server, for ClickHouse 18.16 and later.
--
-- The statements of a section run for each table, column or view that is not there yet.
-- @TABLE@ is its name, @TABLE_MORE@ the name with _MORE, @NAME@ the name within quotes.

-- [once]
CREATE TABLE IF NOT EXISTS rates (
	time DateTime('UTC'), host String, event String, records UInt64
) ENGINE = SummingMergeTree PARTITION BY toDate(time) ORDER BY (event, host, time);
CREATE TABLE IF NOT EXISTS latencies (
	time DateTime('UTC'), host String, log String, intervals AggregateFunction(count),
	quantiles AggregateFunction(quantilesTDigest(0.5, 0.9, 0.99, 0.999), Int64)
) ENGINE = AggregatingMergeTree PARTITION BY toDate(time) ORDER BY (log, host, time);
CREATE VIEW IF NOT EXISTS latencies_by_minute AS
	SELECT time, host, log, countMerge(intervals) AS count,
		quantilesTDigestMerge(0.5, 0.9, 0.99, 0.999)(quantiles) AS p50_p90_p99_p999
	FROM latencies GROUP BY time, host, log ORDER BY log, host, time;

-- [table]
CREATE TABLE IF NOT EXISTS @TABLE@ (@COLUMNS@)
	ENGINE = MergeTree PARTITION BY toDate(common_time) ORDER BY (host, common_load, common_time, seq);

-- [column]
ALTER TABLE @TABLE@ ADD COLUMN @COLUMN@;

-- [drop]
ALTER TABLE @TABLE@ DROP COLUMN @COLUMN@;

-- [event]
CREATE MATERIALIZED VIEW IF NOT EXISTS @TABLE_by_minute@ TO rates AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS event, count() AS records
	FROM @TABLE@ GROUP BY time, host;

-- [log]
CREATE MATERIALIZED VIEW IF NOT EXISTS @TABLE_by_minute@ TO latencies AS
	SELECT toStartOfMinute(common_time) AS time, host, '@NAME@' AS log, countState() AS intervals,
		quantilesTDigestState(0.5, 0.9, 0.99, 0.999)(duration) AS quantiles
	FROM @TABLE@ GROUP BY time, host;

-- [view]
CREATE VIEW IF NOT EXISTS @VIEW@ AS @SELECT@;
