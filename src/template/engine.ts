/** LiquidJS without files, clock and chance: the same template and data give the same text. */
import { Context, filters, Liquid, LiquidError, type Template, toValue, toValueSync } from 'liquidjs'
import type { Scope } from './documents.ts'
import { FILTERS } from './filters.ts'
import { Output } from './output.ts'
import { type Fault, formatTooMuchOutput, formatTooSlow, type Limits } from './protocol.ts'

/** Tags that read another template. */
const TAGS_OF_FILES = ['include', 'render', 'layout', 'block']
const DATE_FILTERS = ['date', 'date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string']
/** Chosen at random. */
const RANDOM_FILTERS = ['sample']
/** The part of the time after which a rendering stops by itself, because only it knows its line. */
const OWN_SHARE = 0.95
/** LiquidJS ends a rendering after its time with this text. */
const TIME_IS_UP = 'template render limit exceeded'
/** Messages of LiquidJS quote the template. */
const MAX_MESSAGE = 300

const refuseClock = (value: unknown): void => {
  const text: unknown = toValue(value)
  if (text === 'now' || text === 'today') throw new Error(`the date of "${text}" would change with every request`)
}

const withoutClock = (engine: Liquid, name: string): void => {
  const original = filters[name]
  if (typeof original !== 'function') throw new Error(`LiquidJS has no filter ${name}`)
  engine.registerFilter(name, function (value, ...rest) {
    refuseClock(value)
    return original.call(this, value, ...rest)
  })
}

export const createEngine = (): Liquid => {
  const engine = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    // In place of the file system.
    templates: {},
    relativeReference: false,
    timezoneOffset: 0,
    locale: 'en-US',
  })
  for (const tag of TAGS_OF_FILES)
    engine.registerTag(tag, {
      parse: () => {
        throw new Error(`the tag "${tag}" is not available: a template is one text`)
      },
      render: () => {},
    })
  for (const name of RANDOM_FILTERS) engine.unregisterFilter(name)
  for (const name of DATE_FILTERS) withoutClock(engine, name)
  for (const [name, filter] of Object.entries(FILTERS)) engine.registerFilter(name, filter)
  return engine
}

type Rendering = {
  readonly scope: Scope
  readonly limits: Limits
  /** The part of the time that has passed. */
  readonly passedMs: number
}

/** @returns the text as UTF-8 @throws an error for `toFault` */
export const render = (engine: Liquid, parsed: Template[], { scope, limits, passedMs }: Rendering): Uint8Array[] => {
  const output = new Output(limits.outputBytes, formatTooMuchOutput(limits))
  const renderLimit = Math.max(1, limits.renderMs * OWN_SHARE - passedMs)
  const context = new Context(scope, engine.options, { sync: true, renderLimit }, { liquid: engine })
  toValueSync(engine.renderer.renderTemplates(parsed, context, output))
  return output.finish()
}

/** Returns the fault of an error of parsing or rendering. */
export const toFault = (error: unknown, limits: Limits): Fault => {
  const original = LiquidError.is(error) ? (error.originalError ?? error) : error
  const text = (original instanceof Error ? original.message : String(original)).replace(/, line:\d+, col:\d+$/, '')
  const message = text === TIME_IS_UP ? formatTooSlow(limits) : text.slice(0, MAX_MESSAGE)
  const line = LiquidError.is(error) ? error.token.getPosition()[0] : undefined
  return line === undefined ? { message } : { line, message }
}
