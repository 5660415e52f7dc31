/** An update by a ref, the id of another system: creates the object if none has the ref. */

import { AppError, invalidField } from '../../contract/errors.ts'
import { parseRef, type Ref } from '../../contract/fields/external-fields.ts'
import { getOwn } from '../../contract/own.ts'
import { isRecord } from '../../contract/unknown.ts'
import { RefTakenError } from '../changes/object-refs.ts'
import { findIdByRef } from '../changes/resolve-refs.ts'
import type { Bound, Feature, KernelCtx } from '../context.ts'
import { WithStatus } from '../handler-result.ts'
import { type AnyOperation, getNoun } from '../operation.ts'
import type { Request } from '../request.ts'

/** Maximum number of attempts, for an object that others create and delete at the same time. */
const MAX_TRIES = 5

type Fields = Readonly<Record<string, unknown>>

/** An update by a ref, with its input. */
export type ByRef = { readonly ref: Ref; readonly input: Fields }

/** Returns the ref in the path of an update that may create its object. */
export const parseByRef = ({ createsByRef }: AnyOperation, input: unknown): ByRef | undefined => {
  const ref = createsByRef && isRecord(input) && typeof input.id === 'string' ? parseRef(input.id) : undefined
  // A ref was read from it.
  return ref && { ref, input: input as Fields }
}

/** Returns the function that finds the create of the noun of an update. */
export const createGetCreate =
  <Tables>(features: readonly Pick<Feature<Tables>, 'operations'>[]) =>
  (op: AnyOperation): Bound<Tables> => {
    const noun = getNoun(op)
    const create = features.flatMap(({ operations }) => operations).find((bound) => bound.op.name === `${noun}.create`)
    if (!create) throw new Error(`${noun} has no create`)
    return create
  }

/** One of the two calls, with the errors that are no failure of it. */
export type Step = {
  readonly input: Fields
  /** The reason not to run it. */
  readonly refusal?: AppError | undefined
  readonly isExpected: (error: unknown) => boolean
}

/** Returns the refs of the new object. @returns undefined for a value that the contract refuses */
const addRef = ({ refs }: Fields, { source, id }: Ref): Fields | undefined => {
  if (refs === undefined || refs === null) return { [source]: id }
  return isRecord(refs) ? { ...refs, [source]: getOwn(refs, source) ?? id } : undefined
}

const validateRefs = ({ source, id }: Ref, refs: Fields | undefined, { ifMatch }: Conditions): AppError | undefined => {
  if (ifMatch !== undefined) return new AppError('PRECONDITION_FAILED', `No object has the ref ${source}:${id}`)
  if (refs === undefined || getOwn(refs, source) === id) return undefined
  return invalidField(`refs.${source}`, `must be ${JSON.stringify(id)}, as in the path`)
}

const isGone = (error: unknown): boolean => error instanceof AppError && error.code === 'NOT_FOUND'

/** Returns the answer of a create as that of the update, which has no secret. The changes of a dry run have none. */
const withoutSecret = ({ output }: AnyOperation, made: unknown): unknown => {
  if (!(made instanceof WithStatus)) return output.parse(made)
  return new WithStatus(made.status, output.safeParse(made.value).data ?? made.value, made.isDryRun)
}

type Conditions = Pick<Request, 'ifMatch'>
type Steps<Tables> = Conditions & {
  readonly ctx: KernelCtx<Tables>
  readonly update: Bound<Tables>
  readonly create: Bound<Tables>
  /** Runs one of the two. */
  readonly run: (bound: Bound<Tables>, step: Step) => Promise<unknown>
}

/** Returns the answer of the update, or that of the create with its status. */
export const updateOrCreate = async <Tables>({ ref, input }: ByRef, steps: Steps<Tables>): Promise<unknown> => {
  const { ctx, update, create, run } = steps
  const noun = getNoun(update.op)
  const find = async (): Promise<string | undefined> => {
    const found = await findIdByRef(ctx, noun, ref)
    return found !== undefined && (await ctx.filterVisible(noun, [found])).has(found) ? found : undefined
  }
  const { id: _, ...fields } = input
  const refs = addRef(input, ref)
  const draft = { ...fields, ...(refs && { refs }) }
  let id = await find()
  for (let tries = 1; ; tries++) {
    if (id !== undefined) {
      try {
        return await run(update, { input: { ...input, id }, isExpected: isGone })
      } catch (error) {
        if (!isGone(error)) throw error
      }
    }
    const isTaken = (error: unknown): error is RefTakenError =>
      tries < MAX_TRIES && error instanceof RefTakenError && error.ref.source === ref.source && error.ref.id === ref.id
    try {
      const made = await run(create, { input: draft, refusal: validateRefs(ref, refs, steps), isExpected: isTaken })
      const shown = create.op.answersSecret ? withoutSecret(update.op, made) : made
      return shown instanceof WithStatus ? shown : new WithStatus(create.op.status ?? 200, shown)
    } catch (error) {
      if (!isTaken(error)) throw error
      // Another caller has just created it. A scope may hide it.
      id = ctx.isScoped ? await find() : error.holderId
      if (id === undefined) throw error
    }
  }
}
