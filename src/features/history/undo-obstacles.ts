/** The obstacles of an undo, and its refusal. */
import { AppError } from '../../platform/contract/errors.ts'
import type { Ctx } from '../ctx.ts'
import type { Kind } from './kind-names.ts'
import { textOf } from './moment.ts'
import * as store from './store.ts'

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

const refused = (message: string, details: { field: string; message: string }[] = []): AppError =>
  new AppError('UNDO_CONFLICT', message, { details })

const described = ({ id, atMs, username, operation }: store.StoredChange): string =>
  `change ${id} at ${textOf(atMs)} by ${username || operation}`

export const undoneAlready = (by: string): AppError => refused(`The change is undone already, by change ${by}`)

export const nothingLeft = (): AppError => refused('there is nothing left to undo')

/** Returns the refusal that names the obstacles. @param seq of the change to be undone */
export const inTheWay = async (ctx: Ctx, seq: number, obstacles: readonly Obstacle[]): Promise<AppError> => {
  const details: { field: string; message: string }[] = []
  for (const { kind, id, field, message, isLater } of obstacles.slice(0, MOST_NAMED)) {
    const cause = isLater ? await store.newestChangeOf(ctx, { kind, id, after: seq }) : undefined
    details.push({
      field: field === undefined ? `${kind} ${id}` : `${kind} ${id} ${field}`,
      message: cause ? `${message}: ${described(cause)}` : message,
    })
  }
  const n = obstacles.length
  return refused(
    n === 1 ? '1 obstacle is in the way of the undo' : `${n} obstacles are in the way of the undo`,
    details,
  )
}
