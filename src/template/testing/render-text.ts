/** Renders in this process, for the tests of filters and tags. */
import { createDocuments } from '../documents.ts'
import { createEngine, render, toFault } from '../engine.ts'
import type { Fault, Kind, Limits } from '../protocol.ts'

const LIMITS: Limits = { renderMs: 60_000, memoryBytes: 2 ** 30, outputBytes: 2 ** 20 }

export type Documents = readonly (readonly [Kind, unknown])[]

/** Returns the text of a template, or its fault. */
export const renderText = (
  template: string,
  documents: Documents = [],
  limits: Partial<Limits> = {},
): string | Fault => {
  const all = { ...LIMITS, ...limits }
  try {
    const engine = createEngine()
    const parsed = engine.parse(template)
    const { scope, add } = createDocuments()
    for (const [kind, value] of documents) add(kind, value)
    return Buffer.concat(render(engine, parsed, { scope, limits: all, passedMs: 0 })).toString()
  } catch (error) {
    return toFault(error, all)
  }
}

/** Returns the text of an expression over `value`. */
export const evaluate = (expression: string, value: unknown = null): string | Fault =>
  renderText(`{{ ${expression} }}`, [['feed', { value }]])
