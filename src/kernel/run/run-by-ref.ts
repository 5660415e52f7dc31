/** Runs an update by a ref: as the update of the object that has the ref, or as the create of its noun. */

import type { ContextFor } from '../call-context.ts'
import { type AuditedCall, getAuditedCall } from '../changes/audit.ts'
import type { Compared } from '../changes/proposals.ts'
import type { Bound, Feature } from '../context.ts'
import { WithStatus } from '../handler-result.ts'
import { type AnyOperation, getNoun } from '../operation.ts'
import type { Request } from '../request.ts'
import { HeldRights } from '../rights/rights.ts'
import { getGuardedInput } from '../rights/scoped-write.ts'
import { type ByRef, type Step, updateOrCreate, withoutSecret } from './create-by-ref.ts'

export type AuditedRun<Tables> = {
  readonly bound: Bound<Tables>
  readonly request: Request
  readonly audited: AuditedCall
  readonly compared?: Compared<Tables> | undefined
}

type Options<Tables> = {
  readonly getCreate: (op: AnyOperation) => Bound<Tables>
  readonly contextFor: ContextFor<Tables>
  readonly runAudited: (call: AuditedRun<Tables>, step?: Step) => Promise<unknown>
}

/** Returns the function that finds the create of the noun of an operation. */
export const createGetCreate =
  <Tables>(features: readonly Pick<Feature<Tables>, 'operations'>[]): Options<Tables>['getCreate'] =>
  (op) => {
    const noun = getNoun(op)
    const create = features.flatMap(({ operations }) => operations).find((bound) => bound.op.name === `${noun}.create`)
    if (!create) throw new Error(`${noun} has no create`)
    return create
  }

export const createRunByRef =
  <Tables>({ getCreate, contextFor, runAudited }: Options<Tables>) =>
  async (update: AuditedRun<Tables>, byRef: ByRef): Promise<unknown> => {
    const { bound, request } = update
    const noun = getNoun(bound.op)
    const create = getCreate(bound.op)
    const audited = getAuditedCall(create.op)
    if (!audited) throw new Error(`${create.op.name} is no write`)
    // The two calls check the access.
    const held = new HeldRights(request)
    const scopedInput = getGuardedInput(bound.op, {}, {})
    const ctx = contextFor({ name: bound.op.name, request, held, note: '', scopedInput })
    return updateOrCreate(byRef, {
      ifMatch: request.ifMatch,
      ...{ ctx, noun },
      update: (step) => runAudited(update, step),
      create: async (step) => {
        const answer = await runAudited({ ...update, bound: create, audited }, step)
        const made = create.op.answersSecret ? withoutSecret(bound.op, answer) : answer
        return made instanceof WithStatus ? made : new WithStatus(create.op.status ?? 200, made)
      },
    })
  }
