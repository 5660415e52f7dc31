/** `plat source apply`: shows what an apply would change, asks, and applies. */
import { askConfirmation } from '../../exchange/cli/cli-apply.ts'
import { planText } from '../../exchange/cli/cli-plan-text.ts'
import type { OutputOf } from '../../kernel/operation.ts'
import { call, readJson, send } from '../../surfaces/cli/connection/client.ts'
import { toPrintable, toPrintableJson } from '../../surfaces/cli/output/display.ts'
import { getProposal, offerUndo, tellProposal, withProposal } from '../../surfaces/cli/output/preview.ts'
import { isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { buildInput } from '../../surfaces/cli/parse/input.ts'
import { buildSpec } from '../../surfaces/cli/parse/operation-spec.ts'
import { sourceObjects } from '../api.ts'
import { findSourceId } from './run.ts'

type Applied = OutputOf<typeof sourceObjects.apply>

const show = async ({ io, globals }: Session, applied: Applied): Promise<void> => {
  if (globals.output === 'json') {
    const text = JSON.stringify(applied, undefined, io.stdout.isTty ? 2 : undefined)
    await io.stdout.write(`${toPrintableJson(text)}\n`)
  } else if (!globals.isQuiet) {
    const { changes, counts } = applied
    const hasColors = io.stdout.isTty && !io.env.NO_COLOR
    const total = Object.values(counts).reduce(
      (sum, { created, updated, deleted }) => sum + created + updated + deleted,
      0,
    )
    const plan = { changes, counts, changes_total: total, extra: {}, also: {} }
    await io.stdout.write(planText(plan, { owner: '', hasColors }))
  }
  for (const { resource, key, message } of applied.failed)
    await io.stderr.write(`error: ${toPrintable(`${resource} ${key}: ${message}`)}\n`)
}

export const applySource = async (session: Session, texts: Texts): Promise<number> => {
  const { io, globals } = session
  const op = sourceObjects.apply
  const { transport } = await session.connect()
  const id = await findSourceId(session, transport, texts)
  const { dry_run: _, ...fields } = await buildInput(io, { op, spec: buildSpec(op), texts })
  const isProposed = fields.proposal !== undefined
  const input = op.input.parse({ ...fields, id })
  const isDry = isOn(texts, 'dry_run')
  const plan = await call(transport, op, { ...input, dry_run: true } as typeof input)
  const isJson = globals.output === 'json'
  if (!isJson || isDry || plan.changes.length === 0) await show(session, plan)
  if (isDry) return 0
  if (plan.changes.length === 0) {
    if (!globals.isQuiet) await io.stderr.write('Nothing to do.\n')
    return plan.failed.length > 0 ? 1 : 0
  }
  if (!isProposed && !isOn(texts, 'yes') && !(await askConfirmation(session, 'Apply this?'))) {
    await io.stderr.write('Nothing was changed.\n')
    return 1
  }
  const response = await send(transport, op, input)
  // The server's tests check that its answers have the type of the contract.
  const applied = (await readJson(transport, response)) as Applied
  const proposal = getProposal(response)
  if (isJson) await show(session, withProposal(applied, proposal))
  else if (!globals.isQuiet && !isProposed) await io.stdout.write('Done.\n')
  await tellProposal(session, transport, proposal)
  if (applied.change_id !== '') await offerUndo(session, [applied.change_id])
  return applied.failed.length > 0 ? 1 : 0
}
