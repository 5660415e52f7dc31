/** The call of an operation that a page makes or a form would send, and the forms in which it can be copied. */
import type { AnyOperation } from '../../../src/platform/operation/operation.ts'

export type Call = {
  readonly op: AnyOperation
  readonly input: Readonly<Record<string, unknown>>
  /** What of the page the call does not say, in words. */
  readonly leftOut?: readonly string[]
}

/** Lists have more to say than fits here. */
export type ListCall = {
  readonly list: Readonly<Record<string, AnyOperation>>
  readonly q: string
  /** What the page sends besides its filter. */
  readonly given?: Readonly<Record<string, unknown>>
}

export type AnyCall = Call | ListCall
/** Undefined while there is nothing to send. */
export type GetCall = () => AnyCall | undefined

export const FORMS = [
  ['curl', 'Copy as curl'],
  ['plat', 'Copy as plat command'],
] as const
export type Form = (typeof FORMS)[number][0]
