/** The metrics of the process and of its database, under the names that common dashboards expect. */

import { FAULT_KINDS } from '../../base/disk/fault.ts'
import type { Metrics } from '../../base/runtime/metrics.ts'
import type { Valkey } from '../../base/runtime/valkey.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Guard } from '../../surfaces/http/guard.ts'
import type { Population } from './gauges.ts'

type Parts = {
  readonly metrics: Metrics
  readonly db: Db<Tables>
  readonly population: Population
  readonly guard: Guard
  /** The Valkey servers in use, by what they store. */
  readonly valkeys: Readonly<Record<string, Pick<Valkey, 'isUp'>>>
  readonly now: () => Date
}

/** Samples each server of the database. */
const addDatabaseMetrics = (metrics: Metrics, db: Db<Tables>): void => {
  metrics.samples('gauge', 'db_host_up', 'If a host of the database answers, by its role', () =>
    db.hosts().map(({ host, role }) => ({ labels: { host, role }, value: role === 'away' ? 0 : 1 })),
  )
  metrics.samples('gauge', 'db_replica_lag_bytes', 'Bytes of the log that a standby has yet to replay', () =>
    db.hosts().flatMap(({ host, lagBytes }) => (lagBytes === null ? [] : [{ labels: { host }, value: lagBytes }])),
  )
  metrics.samples('counter', 'db_reads_total', 'Reads outside of transactions that a host has answered', () =>
    [...db.readHosts.answers()].map(([host, value]) => ({ labels: { host }, value })),
  )
  metrics.samples('gauge', 'db_fault', 'If the database refuses changes for this reason', () => {
    const current = db.fault()?.kind
    return FAULT_KINDS.map((kind) => ({ labels: { kind }, value: kind === current ? 1 : 0 }))
  })
  metrics.samples('counter', 'db_failovers_total', 'Changes of the primary since the start', () => [
    { labels: {}, value: db.failovers() },
  ])
}

export const addProcessMetrics = ({ metrics, db, population, guard, valkeys, now }: Parts): void => {
  const startedMs = now().getTime()
  const queries = metrics.counter('db_queries_total', 'Database queries')
  const durations = metrics.summary('db_query_duration_milliseconds', 'Time of a database query', 'query')
  db.watch((query, durationMs) => {
    queries.add()
    durations.observe(query, durationMs)
  })
  metrics.gauge('devices_total', 'Devices', () => population.of('device'))
  metrics.gauge('networks_total', 'Networks', () => population.of('network'))
  metrics.gauge('datacenters_total', 'Datacenters', () => population.of('datacenter'))
  metrics.gauge('db_connections_open', 'Open database connections', db.connections)
  addDatabaseMetrics(metrics, db)
  metrics.samples('gauge', 'valkey_up', 'If the Valkey server answers and accepts writes, by what it stores', () =>
    Object.entries(valkeys).map(([store, valkey]) => ({ labels: { store }, value: valkey.isUp() ? 1 : 0 })),
  )
  metrics.gauge('process_uptime_seconds', 'Seconds since the start', () => (now().getTime() - startedMs) / 1000)
  // Named as in Go programs, so that existing dashboards keep working.
  metrics.gauge('go_goroutines', 'Requests being answered now', guard.inFlight)
  metrics.gauge('go_memory_alloc_bytes', 'Heap in use', () => process.memoryUsage().heapUsed)
  metrics.gauge('go_memory_sys_bytes', 'Resident memory', () => process.memoryUsage().rss)
}
