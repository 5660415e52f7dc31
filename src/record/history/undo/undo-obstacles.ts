/** The obstacles of an undo, and its refusal. */
import { AppError } from '../../../contract/errors.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { Kind } from '../kind-names.ts'
import { formatTime } from '../moment.ts'
import * as store from '../store.ts'
import { VisibleItems } from '../visible-items.ts'

export type Obstacle = {
  readonly kind: Kind
  readonly id: string
  readonly field?: string
  readonly message: string
  /** A later change may have caused it, which is then named. */
  readonly isLater: boolean
}

/** The number of obstacles that a refusal names. */
const MOST_NAMED = 100

const buildConflictError = (message: string, details: { field: string; message: string }[] = []): AppError =>
  new AppError('UNDO_CONFLICT', message, { details })

const describeChange = ({ id, atMs, username, operation }: store.StoredChange): string =>
  `change ${id} at ${formatTime(atMs)} by ${username || operation}`

export const buildUndoneError = (by: string): AppError =>
  buildConflictError(`The change is undone already, by change ${by}`)

export const buildNothingLeftError = (): AppError => buildConflictError('there is nothing left to undo')

/** Returns the obstacles that the caller sees, and the number of the others. */
const filterVisibleObstacles = async (visible: VisibleItems, obstacles: readonly Obstacle[]) => {
  const seen = await visible.seen(obstacles.map((one) => ({ ...one, states: [] })))
  return { seen, hidden: obstacles.length - seen.length }
}

/** Returns the newest change of an object that the caller sees. */
const findCause = async (
  ctx: Ctx,
  visible: VisibleItems,
  of: { readonly kind: Kind; readonly id: string; readonly after: number },
): Promise<store.StoredChange | undefined> => {
  const cause = await store.findNewestChange(ctx, of)
  if (!cause || visible.isWhole) return cause
  const [seen] = await visible.seen([{ ...of, states: [{ seq: cause.seq - 1 }, { seq: cause.seq }] }])
  return seen && cause
}

/** Returns the refusal that names the obstacles. @param seq of the change to be undone */
export const buildObstaclesError = async (ctx: Ctx, seq: number, obstacles: readonly Obstacle[]): Promise<AppError> => {
  const visible = await VisibleItems.of(ctx)
  const { seen, hidden } = await filterVisibleObstacles(visible, obstacles)
  const details: { field: string; message: string }[] = []
  for (const { kind, id, field, message, isLater } of seen.slice(0, MOST_NAMED)) {
    const cause = isLater ? await findCause(ctx, visible, { kind, id, after: seq }) : undefined
    details.push({
      field: field === undefined ? `${kind} ${id}` : `${kind} ${id} ${field}`,
      message: cause ? `${message}: ${describeChange(cause)}` : message,
    })
  }
  if (hidden > 0)
    details.push({ field: 'id', message: 'objects outside of the part of the estate that you may read are in the way' })
  // The number of the others is not told.
  const n = seen.length + Math.min(hidden, 1)
  return buildConflictError(
    n === 1 ? '1 obstacle is in the way of the undo' : `${n} obstacles are in the way of the undo`,
    details,
  )
}
