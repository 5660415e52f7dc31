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

/** A system with one device, which answers once it may. */
const startSystem = (key: string, os: string) => {
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async () => {
      asked.resolve()
      await held.promise
      return Response.json({ devices: [{ name: key, os, refs: { crm: key } }] })
    },
  })
  return { url: `${server.url}`, asked: asked.promise, answer: held.resolve, stop: () => server.stop(true) }
}

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)
  let runner: Awaited<ReturnType<typeof startRunner>>
  beforeAll(async () => {
    runner = await startRunner(j)
  })
  afterAll(() => runner.close())

  const createSource = (url: string) => j.source({ kind: 'document', ref: 'crm', mode: 'auto', url })
  const push = async (id: string, outcome: SourceOutcome): Promise<SourceRun | undefined> => {
    const begun = await runner.push({ id, outcome, force: false })
    return (await runner.awaitEnd(id, [begun.id]))[0]
  }
  const findOs = async (id: string) => (await j.api.devices.list({ managed_by: `source:${id}` })).map(({ os }) => os)

  test('a push of the known snapshot that waits while another one is read fails, and can be sent again', async () => {
    const system = startSystem('raced', 'new')
    const id = await createSource(system.url)
    expect(await push(id, convertDevice('raced', 'old'))).toMatchObject({ result: 'applied' })
    const running = runner.run(id)
    await system.asked
    const waiting = push(id, repeat('old'))
    system.answer()
    expect(await running).toMatchObject({ status: 'completed', result: 'applied' })
    expect(await waiting).toMatchObject({ status: 'failed', error_code: 'interrupted' })
    expect(await findOs(id)).toEqual(['new'])
    expect(await push(id, convertDevice('raced', 'old'))).toMatchObject({ status: 'completed', result: 'applied' })
    expect(await findOs(id)).toEqual(['old'])
    await system.stop()
  })

  test('a push of the known snapshot tells what the run before it has read', async () => {
    const id = await createSource('')
    expect(await push(id, convertDevice('repeated', 'old'))).toMatchObject({ result: 'applied' })
    const wanted = { status: 'completed', result: 'unchanged', read: { device: 1 } }
    expect(await push(id, repeat('old'))).toMatchObject(wanted)
    expect(await findOs(id)).toEqual(['old'])
  })
})
