/** Pairs the handlers of a feature with its contract. */

import type { WriteOptions } from '../database/database.ts'
import type { Bound, InTransaction, KernelCtx } from './context.ts'
import type { HandlerResult } from './handler-result.ts'
import type { AnyOperation, OperationSet, OutputOf, ParsedInputOf } from './operation.ts'
import type { PreparedStep } from './prepared-handler.ts'

export type Handler<O extends AnyOperation, Tables> = (
  ctx: KernelCtx<Tables>,
  input: ParsedInputOf<O>,
) => Promise<HandlerResult<OutputOf<O>>>

/**
 * A handler in two steps, for work that must not run in a transaction, such as hashing a password for a second.
 * `prepare` runs without a transaction and returns the second step. That step runs inside one and checks again
 * everything that may have changed.
 */
export type PreparedHandler<O extends AnyOperation, Tables> = {
  /** `prepare` only reads, so that the call can be rolled back. */
  readonly isReadOnly?: true
  /** `prepare` reads nothing but its input, so that its result holds in each later state. */
  readonly readsNoState?: true
  readonly prepare: (
    ctx: KernelCtx<Tables>,
    input: ParsedInputOf<O>,
  ) => Promise<PreparedStep<InTransaction<Tables, HandlerResult<OutputOf<O>>>, HandlerResult<OutputOf<O>>>>
}

/** A write that chooses the options of its transaction by what it will do. */
export type OptionedHandler<O extends AnyOperation, Tables> = {
  /** Runs without a transaction. */
  readonly transaction: (ctx: KernelCtx<Tables>, input: ParsedInputOf<O>) => Promise<WriteOptions>
  readonly run: Handler<O, Tables>
}

export type Handlers<S extends OperationSet, Tables> = {
  readonly [K in keyof S]: Handler<S[K], Tables> | PreparedHandler<S[K], Tables> | OptionedHandler<S[K], Tables>
}

/** Pairs a feature's contract with its handlers. A missing, misspelled or mistyped handler does not compile. */
export const implementFor =
  <Tables>() =>
  <S extends OperationSet>(operations: S, handlers: Handlers<S, Tables>): readonly Bound<Tables>[] =>
    Object.entries(operations).map(([verb, op]) => ({
      op,
      // The type of `handlers` demands one handler per verb.
      handler: handlers[verb] as Bound<Tables>['handler'],
    }))

/** Returns an operation and its handler, for callers in a transaction. @throws Error unless it is done in one step */
export const getOneStep = <Tables>(operations: readonly Bound<Tables>[], name: string) => {
  const { op, handler } = operations.find((bound) => bound.op.name === name) ?? {}
  if (!op || typeof handler !== 'function') throw new Error(`${name} is no operation in one step`)
  // The caller passes input that the schema of the operation allows.
  return { op, run: (ctx: KernelCtx<Tables>, input: object): Promise<unknown> => handler(ctx, input as never) }
}
