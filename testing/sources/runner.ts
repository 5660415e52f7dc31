/** The runner of sources of a judged app. It fetches and converts in the process of the test. */
import { createSecrets } from '../../src/base/security/crypto.ts'
import { readOutcome, writeOutcome } from '../../src/sources/fetch/outcome.ts'
import type { SourceReader } from '../../src/sources/fetch/process.ts'
import { runSourceJob } from '../../src/sources/fetch/run-job.ts'
import { insert } from '../../src/sources/runs/run-store.ts'
import { createRunner } from '../../src/sources/runs/runner.ts'
import type { SourceRun } from '../../src/sources/schema.ts'
import { type JudgedApp, quiet } from '../judging.ts'
import { until } from '../until.ts'

const reader: SourceReader = {
  read: async (job) => {
    const output = Buffer.concat([...writeOutcome(await runSourceJob(job, new Uint8Array()))])
    const lines = output.toString().trimEnd().split('\n')
    return readOutcome(lines.map((line): unknown => JSON.parse(line)))
  },
}

export const startRunner = async (j: JudgedApp) => {
  const kernel = await j.startKernel()
  const runner = createRunner({
    ...{ log: quiet, now: j.now, kernel: () => kernel, onEnded: () => {}, reader },
    secrets: createSecrets({ key: undefined, previous: [] }),
    config: { sourceTargets: ['127.0.0.1'], ssrfAllowPrivateTargets: false },
    // No operation runs here.
    means: { operations: [], discoveryMaxHosts: 0 } as never,
  })

  /** Waits for the end of runs of a source. */
  const awaitEnd = (id: string, runIds: readonly string[]): Promise<SourceRun[]> =>
    until('the end of the runs', async () => {
      const runs = await j.api.sources.runs({ id })
      const own = runIds.flatMap((one) => runs.find((run) => run.id === one && run.completed_at !== null) ?? [])
      return own.length === runIds.length ? own : undefined
    })

  /** Runs a source as a person does. */
  const run = async (id: string): Promise<SourceRun> => {
    const asked = { source_id: id, trigger: 'hand', applies: true, force: false } as const
    const { id: runId } = await j.inJob((ctx) => ctx.write((tx) => insert(tx, asked)))
    runner.wake()
    const [ended] = await awaitEnd(id, [runId])
    if (!ended) throw new Error('a run that has ended is found')
    return ended
  }

  return { push: runner.push, close: runner.close, awaitEnd, run }
}
