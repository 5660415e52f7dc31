/** The last defense before a terminal: removes control characters that a command has missed. */

import type { Io, Output } from './io.ts'
import { toPrintableJson } from './output/display.ts'

/** Moves to the start of the line and clears it. */
export const CLEAR_LINE = '\r\u001b[K'

/** The colors of text (ECMA-48, 8.3.117). */
export const COLORS = { none: '\u001b[0m', red: '\u001b[31m', green: '\u001b[32m', yellow: '\u001b[33m' } as const
export type Color = Exclude<keyof typeof COLORS, 'none'>

const escapeBracket = (text: string): string => text.replace('[', '\\[')

const HARMLESS = new RegExp(`(${[CLEAR_LINE, ...Object.values(COLORS)].map(escapeBracket).join('|')}|\\r?\\n|\\t)`)

/** Odd pieces have matched. In JSON the escapes have the same meaning as the characters. */
const escapeTerminalText = (text: string): string =>
  text
    .split(HARMLESS)
    .map((piece, i) => (i % 2 === 1 ? piece : toPrintableJson(piece)))
    .join('')

const guardOutput = (output: Output): Output => {
  const decoder = new TextDecoder()
  return {
    isTty: true,
    get columns() {
      return output.columns
    },
    // Bytes may end within a character. The next write brings the rest of it.
    write: (data) =>
      output.write(escapeTerminalText(typeof data === 'string' ? data : decoder.decode(data, { stream: true }))),
  }
}

/** Returns the same `Io` with guarded terminals. */
export const withGuardedTerminals = (io: Io): Io => {
  const stdout = io.stdout.isTty ? guardOutput(io.stdout) : io.stdout
  const stderr = io.stderr.isTty ? guardOutput(io.stderr) : io.stderr
  if (stdout === io.stdout && stderr === io.stderr) return io
  return Object.create(io, { stdout: { value: stdout }, stderr: { value: stderr } }) as Io
}
