/** The main of the process of a template: reads a request and its documents, renders, writes the result and ends. */
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { createDocuments, type Documents } from './documents.ts'
import { createEngine, faultOf, render } from './engine.ts'
import { endWithParent } from './parent-death.ts'
import { type DocumentLine, type EndLine, EXIT, type Request } from './protocol.ts'

/** Below the server, which answers people. */
const NICENESS = 10
const NEWLINE = 10

/** Makes the system prefer the server, and if memory runs out end this process. */
const yieldToServer = (): void => {
  try {
    setPriority(NICENESS)
    if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Without the permission it runs as the server does.
  }
}

/** Reads standard input as lines of JSON. */
async function* lines(): AsyncGenerator<unknown> {
  let rest = Buffer.alloc(0)
  for await (const chunk of Bun.stdin.stream()) {
    const bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : Buffer.concat([rest, chunk])
    let from = 0
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      yield JSON.parse(bytes.toString('utf8', from, at))
      from = at + 1
    }
    rest = bytes.subarray(from)
  }
}

/** @returns false if the data has no end: the server has ended */
const collect = async (documents: Documents, input: AsyncGenerator<unknown>): Promise<boolean> => {
  for await (const line of input) {
    // Both halves are one program: lines follow `protocol.ts`.
    const message = line as DocumentLine | EndLine
    if (message.kind === 'end') return true
    documents.add(message.kind, message.value)
  }
  return false
}

const write = async (pieces: readonly Uint8Array[]): Promise<void> => {
  const sink = Bun.stdout.writer()
  for (const piece of pieces) {
    sink.write(piece)
    await sink.flush()
  }
  await sink.end()
}

const carryOut = async ({ template, isCheck, limits }: Request, input: AsyncGenerator<unknown>): Promise<number> => {
  try {
    const engine = createEngine()
    const parsed = engine.parse(template)
    if (isCheck) return EXIT.content
    const documents = createDocuments()
    if (!(await collect(documents, input))) return EXIT.cut
    // The clock of `performance` began with the process.
    await write(render(engine, parsed, { scope: documents.scope, limits, passedMs: performance.now() }))
    return EXIT.content
  } catch (error) {
    await write([new TextEncoder().encode(JSON.stringify(faultOf(error, limits)))])
    return EXIT.fault
  }
}

/** @returns the exit code */
export const runTemplateChild = async (): Promise<number> => {
  // Dates are those of UTC on every machine.
  process.env.TZ = 'UTC'
  endWithParent()
  yieldToServer()
  const input = lines()
  const first = process.stdin.isTTY ? { value: undefined } : await input.next()
  if (first.value === undefined) {
    process.stderr.write('plat: template-child is started by the server, not by hand\n')
    return EXIT.misuse
  }
  // Both halves are one program: the first line is the request.
  return carryOut(first.value as Request, input)
}
