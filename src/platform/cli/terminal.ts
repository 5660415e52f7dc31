/**
 * The last line of defence before a terminal: whatever a command writes, no control character gets there but line ends, tabs and the
 * sequence by which a progress line is cleared. Commands make text printable themselves; this is for one that forgets.
 */
import { printableJson } from './display.ts'
import type { Io, Output } from './io.ts'

/** Moves to the start of the line and clears it. */
export const CLEAR_LINE = '\r\u001b[K'

const HARMLESS = new RegExp(`(${CLEAR_LINE.replace('[', '\\[')}|\\r?\\n|\\t)`)

/** Odd pieces are what has matched. In JSON the escapes mean the same as the characters. */
const defused = (text: string): string =>
  text
    .split(HARMLESS)
    .map((piece, i) => (i % 2 === 1 ? piece : printableJson(piece)))
    .join('')

const guarded = (output: Output): Output => {
  const decoder = new TextDecoder()
  return {
    isTty: true,
    get columns() {
      return output.columns
    },
    // Bytes may end within a character, of which the rest comes with the next ones.
    write: (data) => output.write(defused(typeof data === 'string' ? data : decoder.decode(data, { stream: true }))),
  }
}

/** The same world, where terminals are only written to as said above. */
export const withGuardedTerminals = (io: Io): Io => {
  const stdout = io.stdout.isTty ? guarded(io.stdout) : io.stdout
  const stderr = io.stderr.isTty ? guarded(io.stderr) : io.stderr
  if (stdout === io.stdout && stderr === io.stderr) return io
  return Object.create(io, { stdout: { value: stdout }, stderr: { value: stderr } }) as Io
}
