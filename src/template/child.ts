/** The main of the process of a template: reads a request and its documents, renders, writes the result and ends. */
import { beginChild, refusePerson, writeOutput } from '../base/child/child.ts'
import { StandardInput } from '../base/child/standard-input.ts'
import { createDocuments, type Documents } from './documents.ts'
import { createEngine, render, toFault } from './engine.ts'
import { type DocumentLine, type EndLine, EXIT, type Request } from './protocol.ts'

/** @returns false if the data has no end: the server has ended */
const collect = async (documents: Documents, input: StandardInput): Promise<boolean> => {
  for (;;) {
    // Both halves are one program: lines follow `protocol.ts`.
    const message = (await input.readLine()) as DocumentLine | EndLine | undefined
    if (message === undefined) return false
    if (message.kind === 'end') return true
    documents.add(message.kind, message.value)
  }
}

const carryOut = async ({ template, isCheck, limits }: Request, input: StandardInput): Promise<number> => {
  try {
    const engine = createEngine()
    const parsed = engine.parse(template)
    if (isCheck) return EXIT.content
    const documents = createDocuments()
    if (!(await collect(documents, input))) return EXIT.cut
    // The clock of `performance` began with the process.
    await writeOutput(render(engine, parsed, { scope: documents.scope, limits, passedMs: performance.now() }))
    return EXIT.content
  } catch (error) {
    await writeOutput([new TextEncoder().encode(JSON.stringify(toFault(error, limits)))])
    return EXIT.fault
  }
}

/** @returns the exit code */
export const runTemplateChild = async (): Promise<number> => {
  beginChild()
  const input = new StandardInput()
  const request = process.stdin.isTTY ? undefined : await input.readLine()
  if (request === undefined) return refusePerson('template-child')
  // Both halves are one program: the first line is the request.
  return carryOut(request as Request, input)
}
