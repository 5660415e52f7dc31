// The structured logger. Logged values can neither forge another line nor leak a secret field.
import { type Plain, toPlainFields } from './log-values.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const LOG_FORMATS = ['text', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export type LogFields = Readonly<Record<string, unknown>>
export type LogMethod = (message: string, fields?: LogFields) => void

export type Logger = {
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: LogMethod
  readonly error: LogMethod
}

export type LoggerOptions = {
  /** Entries below this level cost only a function call. */
  readonly level: LogLevel
  readonly format: LogFormat
  /** Receives a complete entry with its line break; default stderr. */
  readonly write?: (entry: string) => void
  readonly now?: () => Date
}

type Entry = {
  readonly time: string
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
}

/**
 * Creates a logger. Its methods never throw, whatever values they get.
 *
 * @example createLogger({ level: 'info', format: 'text' }).info('listening', { port: 8080 }) // 2026-01-02T03:04:05.678Z INFO  listening port=8080
 */
export function createLogger(options: LoggerOptions): Logger {
  const { level, format, write = writeToStderr, now = () => new Date() } = options
  const render = format === 'json' ? renderJson : renderText
  const threshold = LOG_LEVELS.indexOf(level)

  function method(entryLevel: LogLevel): LogMethod {
    if (LOG_LEVELS.indexOf(entryLevel) < threshold) return ignore
    return function log(message, fields) {
      const time = now().toISOString()
      write(render({ time, level: entryLevel, message, fields: copyFields(fields) }))
    }
  }

  return { debug: method('debug'), info: method('info'), warn: method('warn'), error: method('error') }
}

function ignore(): void {}

function copyFields(fields: LogFields | undefined): LogFields {
  try {
    return { ...fields }
  } catch {
    // A getter threw while it was copied. The message remains useful.
    return { fields: '[unreadable]' }
  }
}

function writeToStderr(entry: string): void {
  process.stderr.write(entry)
}

function renderJson({ time, level, message, fields }: Entry): string {
  const entry = { time, level, message }
  const extra = Object.entries(toPlainFields(fields)).map(([key, value]) => [
    Object.hasOwn(entry, key) ? `_${key}` : key,
    value,
  ])
  return `${escapeBreaks(JSON.stringify({ ...entry, ...Object.fromEntries(extra) }))}\n`
}

function renderText({ time, level, message, fields }: Entry): string {
  let line = `${time} ${level.toUpperCase().padEnd(5)} ${formatMessage(message)}`
  let stacks = ''
  for (const [key, value] of Object.entries(toPlainFields(fields))) {
    const isError = isObject(value) && 'message' in value && typeof value.stack === 'string'
    line += ` ${formatToken(key)}=${isError ? formatToken(`${value.name}: ${value.message}`) : formatValue(value)}`
    if (isError) stacks += formatStack(value)
  }
  return `${line}\n${stacks}`
}

/** Quotes a message that could be mistaken for a field or another line; leaves any other unchanged. */
function formatMessage(message: string): string {
  return /["=\\]/.test(message) || escapeBreaks(message) !== message ? quote(message) : message
}

function formatValue(value: Plain): string {
  if (typeof value === 'string') return formatToken(value)
  return escapeBreaks(JSON.stringify(value))
}

function formatToken(text: string): string {
  return /^[^\s"=\\]+$/.test(text) && escapeBreaks(text) === text ? text : quote(text)
}

/** Formats stack and causes with indentation, so that none of their lines looks like an entry. */
function formatStack(error: Readonly<Record<string, Plain>>): string {
  const stack = typeof error.stack === 'string' ? error.stack : ''
  const lines = stack.split(/\r\n|[\n\r]/).map((line) => `    ${escapeBreaks(line)}\n`)
  const { cause } = error
  if (cause === undefined || cause === null) return lines.join('')
  if (isObject(cause)) {
    return `${lines.join('')}    caused by ${formatToken(`${cause.name}: ${cause.message}`)}\n${formatStack(cause)}`
  }
  return `${lines.join('')}    caused by ${formatValue(cause)}\n`
}

function isObject(value: Plain): value is Readonly<Record<string, Plain>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function quote(text: string): string {
  return escapeBreaks(JSON.stringify(text))
}

// Control characters, the two Unicode line breaks, and the direction marks, which reorder text on a terminal.
const BREAKS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

function escapeBreaks(text: string): string {
  return text.replace(BREAKS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
