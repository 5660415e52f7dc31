/** The main of the process that reads YAML of the community library. Its output is a line of JSON for each device type. */
import { runJobChild } from '../../platform/runtime/bounded-job-child.ts'
import { type LibraryType, readLibrary } from './library.ts'

function* toLines(types: readonly LibraryType[]): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const type of types) yield encoder.encode(`${JSON.stringify(type)}\n`)
}

/** @returns the exit code */
export const runLibraryChild = (): Promise<number> =>
  runJobChild('device-types-child', async (_, bytes) =>
    toLines(await readLibrary(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf16le'))),
  )
