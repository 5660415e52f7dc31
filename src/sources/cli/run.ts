/** `plat source run`: asks for a run; with --watch, waits for its end. */
import { call, send, type Transport } from '../../surfaces/cli/connection/client.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import { present } from '../../surfaces/cli/output/present.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createNames } from '../../surfaces/cli/parse/names.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { sources } from '../api.ts'
import { SourceRun } from '../schema.ts'

/** The pause between two looks at a run. */
const POLL_MS = 1000

/** Returns the id of the source that a command names. */
export const findSourceId = async (session: Session, transport: Transport, texts: Texts): Promise<string> => {
  const text = getText(texts, 'id')
  if (text === undefined) throw createUsageError('ID missing: the source')
  const names = createNames(transport, await session.program.contracts())
  return names.findId({ noun: 'sources', field: 'id', text })
}

const isOver = ({ completed_at }: SourceRun): boolean => completed_at !== null

const watch = async ({ io }: Session, transport: Transport, started: SourceRun): Promise<SourceRun> => {
  const interrupted = io.interrupted()
  let run = started
  while (!isOver(run) && !interrupted.aborted) {
    await io.sleep(POLL_MS)
    run = await call(transport, sources.showRun, { id: run.source_id, run_id: run.id })
  }
  return run
}

const conclude = async (session: Session, transport: Transport, run: SourceRun): Promise<number> => {
  const { io, globals } = session
  const target = { id: run.source_id, run_id: run.id }
  if (!isOver(run)) {
    await io.stderr.write(`note: the run continues; plat source show-run ${toPrintable(run.source_id)} ${run.id}\n`)
    return 1
  }
  if (io.stdout.isTty && globals.output === 'table') {
    const words = [run.result || run.error_code || run.status, run.message].filter((text) => text !== '')
    await io.stdout.write(`${toPrintable(`${run.status}: ${words.join(': ')}`)}\n`)
  } else
    await present(session, { op: sources.showRun, transport, response: await send(transport, sources.showRun, target) })
  return run.status === 'completed' ? 0 : 1
}

export const runSource = async (session: Session, texts: Texts): Promise<number> => {
  const { transport } = await session.connect()
  const id = await findSourceId(session, transport, texts)
  const apply = texts.has('apply') ? { apply: isOn(texts, 'apply') } : {}
  const response = await send(transport, sources.run, { id, ...apply, force: isOn(texts, 'force') })
  if (!isOn(texts, 'watch')) return (await present(session, { op: sources.run, transport, response })) ? 0 : 1
  return conclude(session, transport, await watch(session, transport, SourceRun.parse(await response.json())))
}
