/**
 * Preloaded into the measured server besides inside.ts: how long each transaction holds the one writer of SQLite, from its
 * BEGIN until its COMMIT has finished. A separate port serves the list, because inside.ts uses the channel to the benchmark.
 */
import { Database } from 'bun:sqlite'

export type Hold = {
  readonly ms: number
  /** The part in which its thread used a processor, without waits for the disk and for other processes. */
  readonly workMs: number
}

let holds: Hold[] = []
const begun = new WeakMap<Database, { readonly at: number; readonly cpu: NodeJS.CpuUsage }>()
const { run } = Database.prototype

// Every statement that the writer runs by name goes through here: BEGIN, COMMIT, ROLLBACK, SAVEPOINT.
Database.prototype.run = function (this: Database, ...[sql, ...values]: Parameters<typeof run>) {
  const at = performance.now()
  const made = run.call(this, sql, ...values)
  if (sql === 'BEGIN IMMEDIATE') begun.set(this, { at, cpu: process.threadCpuUsage() })
  const began = begun.get(this)
  if ((sql === 'COMMIT' || sql === 'ROLLBACK') && began !== undefined) {
    const ms = performance.now() - began.at
    const { user, system } = process.threadCpuUsage(began.cpu)
    holds.push({ ms, workMs: Math.min(ms, (user + system) / 1000) })
    begun.delete(this)
  }
  return made
} as typeof run

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PLAT_BENCH_HOLDS_PORT),
  fetch: () => {
    const told = Response.json(holds)
    holds = []
    return told
  },
}).unref()
