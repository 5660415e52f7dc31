// Pushed snapshots that wait for their turn, in the order in which they came.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { judgedApp } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { startRunner } from '../../../testing/sources/runner.ts'
import { NOTHING_FETCHED } from '../fetch/process.ts'
import type { SourceOutcome } from '../fetch/protocol.ts'
import type { SourceRun } from '../schema.ts'

/** A converted document with the device of a key. Its hash is the name of its operating system. */
const convertDevice = (key: string, os: string): SourceOutcome => ({
  ...{ ...NOTHING_FETCHED, isDone: true, snapshotHash: os, packs: [], hosts: [] },
  documents: { devices: [{ name: key, os, refs: { crm: key } }] },
  about: { [`devices ${key}`]: { type: 'device' } },
  report: { read: { device: 1 }, made: {}, described: [], left: [], warnings: [] },
})
/** The outcome of a push that was compared with the last snapshot, and is the same. */
const repeat = (os: string): SourceOutcome => ({ ...NOTHING_FETCHED, isDone: true, isSame: true, snapshotHash: os })

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)
  let runner: Awaited<ReturnType<typeof startRunner>>
  beforeAll(async () => {
    runner = await startRunner(j)
  })
  afterAll(() => runner.close())

  const start = async () => {
    const id = await j.source({ kind: 'document', ref: 'crm', mode: 'auto' })
    /** Pushes in this order, and returns the runs in their order. */
    const push = async (...outcomes: readonly SourceOutcome[]): Promise<SourceRun[]> => {
      const begun = await Promise.all(outcomes.map((outcome) => runner.push(id, outcome)))
      return runner.awaitEnd(
        id,
        begun.map((run) => run.id),
      )
    }
    const findOs = async () => (await j.api.devices.list({ managed_by: `source:${id}` })).map(({ os }) => os)
    return { push, findOs, convert: (os: string) => convertDevice(id, os) }
  }

  test('a push of the known snapshot that waits while another one is read fails, and can be sent again', async () => {
    const { push, findOs, convert } = await start()
    expect(await push(convert('old'))).toMatchObject([{ result: 'applied' }])
    expect(await push(convert('new'), repeat('old'))).toMatchObject([
      { status: 'completed', result: 'applied' },
      { status: 'failed', error_code: 'interrupted', message: expect.stringContaining('send it again') },
    ])
    expect(await findOs()).toEqual(['new'])
    expect(await push(convert('old'))).toMatchObject([{ status: 'completed', result: 'applied' }])
    expect(await findOs()).toEqual(['old'])
  })

  test('a push of the known snapshot that waits for a run with the same one changes nothing', async () => {
    const { push, findOs, convert } = await start()
    await push(convert('old'))
    expect(await push(convert('old'), repeat('old'))).toMatchObject([
      { status: 'completed', result: 'unchanged' },
      { status: 'completed', result: 'unchanged', read: { device: 1 } },
    ])
    expect(await findOs()).toEqual(['old'])
  })
})
