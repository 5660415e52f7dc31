// The characters that reach a terminal, regardless of the command's output. A pipe receives the output unchanged.
import { expect, test } from 'bun:test'
import { memoryIo } from '../../../testing/memory-io.ts'
import { CLEAR_LINE, withGuardedTerminals } from './terminal.ts'

const written = async (data: readonly (string | Uint8Array)[], columns?: number): Promise<string> => {
  const { io, out } = memoryIo({ argv: [], ...(columns === undefined ? {} : { columns }) })
  for (const one of data) await withGuardedTerminals(io).stdout.write(one)
  return out()
}

test.each([
  ['a\u001b[2Jb\u0007', 'a\\u001b[2Jb\\u0007'],
  ['a\u009b\u007f\u202e\rb', 'a\\u009b\\u007f\\u202e\\u000db'],
  [`${CLEAR_LINE}half [##..] 50 %`, `${CLEAR_LINE}half [##..] 50 %`],
  ['one\ttwo\nthree\r\n', 'one\ttwo\nthree\r\n'],
])('a terminal gets %j as %j', async (text, shown) => expect(await written([text], 80)).toBe(shown))

test('a terminal shows bytes as well, also bytes that end within a character', async () => {
  const { io, out } = memoryIo({ argv: [], columns: 80 })
  const { stdout } = withGuardedTerminals(io)
  const bytes = new TextEncoder().encode('é\u009b漢')
  for (const byte of bytes) await stdout.write(Uint8Array.of(byte))
  expect(out()).toBe('é\\u009b漢')
})

test('a pipe gets all as it is', async () => expect(await written(['a\u001b\u009b\r'])).toBe('a\u001b\u009b\r'))
