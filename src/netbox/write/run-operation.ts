/** Runs operations of features in the transaction of a request, each with the permissions and scopes that it needs. */

import type { Tables } from '../../database/tables.ts'
import type { Bound } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { getOneStep } from '../../kernel/implement.ts'
import { listPermissions } from '../../kernel/operation.ts'
import { parseInput } from '../../kernel/parse-input.ts'
import { getGuardedInput } from '../../kernel/rights/scoped-write.ts'
import type { RunOperation } from '../endpoint/draft.ts'

export const createRunner =
  (operations: readonly Bound<Tables>[]): RunOperation =>
  async (ctx: Ctx, name, given) => {
    const { op, run } = getOneStep(operations, name)
    const [permission] = listPermissions(op.access)
    if (permission) ctx.require(permission)
    // The schema of the operation makes its input of a body.
    const { own } = parseInput(op, given)
    const guarded = getGuardedInput(op, own, given)
    return guarded ? ctx.checkScope(guarded, () => run(ctx, own)) : run(ctx, own)
  }
