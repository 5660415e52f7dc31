/**
 * Compares the processor time that two servers take for the same work, in turn. It differs by 1 to 3 % between two runs of the same
 * code, the time on the clock by 10 %. Other processes of the machine hardly change it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { SQL } from 'bun'
import { median } from './numbers.ts'
import type { PairWork, Side } from './pair.ts'

/** Processor time of all threads of a process, in ms (proc_pid_schedstat, in ns). A thread that has ended is not counted. */
const ofProcess = (pid: number): number => {
  let ns = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // It has ended since.
    }
  }
  return ns / 1e6
}

/** A server, and the processes that work for it. */
export type Subject = { readonly side: Side; readonly pids: () => readonly number[] }

/** Returns the processes of a PostgreSQL cluster, as they are at each call. */
export const processesOf = async (url: string): Promise<() => readonly number[]> => {
  const client = new SQL(url, { max: 1 })
  // A backend answers with its own id; its parent is the server.
  const [{ pid }] = (await client.unsafe('SELECT pg_backend_pid() AS pid')) as [{ pid: number }]
  const [, parent = ''] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  await client.close()
  return () =>
    readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
      .split(' ')
      .flatMap((text) => (text === '' ? [] : [Number(text)]))
}

const processorMs = ({ pids }: Pick<Subject, 'pids'>): Map<number, number> =>
  new Map(
    pids().flatMap((pid) => {
      try {
        return [[pid, ofProcess(pid)] as const]
      } catch {
        // It has ended since.
        return []
      }
    }),
  )

/** Returns the processor time that the work takes on the server, in ms. */
export const processorTime = async (subject: Pick<Subject, 'pids'>, work: () => Promise<unknown>): Promise<number> => {
  const before = processorMs(subject)
  await work()
  let taken = 0
  for (const [pid, ms] of processorMs(subject)) taken += ms - (before.get(pid) ?? 0)
  return taken
}

/** Processor time of a round, in ms. A work that is measured as a rate sends as many requests as it can: then the time of one request. */
const costOf = async ({ measure, unit }: PairWork, subject: Subject): Promise<number> => {
  const startedMs = performance.now()
  let measured = 0
  const taken = await processorTime(subject, async () => {
    measured = await measure(subject.side)
  })
  return unit === 'ms' ? taken : (taken * 1000) / (measured * (performance.now() - startedMs))
}

export type Costs = { readonly ours: number; readonly other: number }

type Pair = { readonly ours: Subject; readonly other: Subject }

/** Takes the cost on both in turn. @param rounds that count; before them come some in which the runtime compiles hot code */
export const alternateCosts = async (
  { ours, other }: Pair,
  rounds: number,
  cost: (subject: Subject) => Promise<number>,
): Promise<Costs[]> => {
  const costs: Costs[] = []
  for (let round = -Math.min(8, rounds); round < rounds; round++) {
    const of = new Map<Subject, number>()
    for (const subject of round % 2 === 0 ? [ours, other] : [other, ours]) of.set(subject, await cost(subject))
    if (round >= 0) costs.push({ ours: of.get(ours) ?? Number.NaN, other: of.get(other) ?? Number.NaN })
  }
  return costs
}

export const compareCosts = async (work: PairWork, pair: Pair, rounds: number): Promise<Costs[]> => {
  for (const { side } of [pair.ours, pair.other]) await work.before?.(side)
  return alternateCosts(pair, rounds, (subject) => costOf(work, subject))
}

export const slowerIn = (rounds: readonly Costs[]): number => median(rounds.map(({ ours, other }) => ours / other))
