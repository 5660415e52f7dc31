/**
 * The messages between the server and the process of a template. The server writes lines of JSON to its standard input: the request,
 * the documents and the end. The process writes the content or, with the exit code `FAULT`, a fault to its standard output.
 */
import { type Bounds, formatBound } from '../base/child/bounds.ts'

/** The first line. */
export type Request = {
  readonly template: string
  /** True to parse the template and render nothing. */
  readonly isCheck: boolean
  readonly limits: Limits
}

export type Limits = {
  /** From the start of the process to its end. */
  readonly renderMs: number
  readonly memoryBytes: number
  readonly outputBytes: number
}

export type Kind = 'feed' | 'network' | 'datacenter' | 'device' | 'kind' | 'object'

export type DocumentLine = { readonly kind: Kind; readonly value: unknown }

/**
 * Sends a document to the template. A text is a document in JSON. Networks and datacenters come before the devices: `datacenter` of a
 * device and `network` of an address may be the id of one of them, and `main` of a device an index of its `addresses`. A kind comes before
 * its objects. Wait for a
 * promise that it returns: the process is slower than the data.
 */
export type Send = (kind: Kind, document: object | string) => Promise<void> | undefined

export type Write = (send: Send) => Promise<void>

/** The last line. Without it the server has ended, and the data is not whole. */
export type EndLine = { readonly kind: 'end' }

/** The reason why a template is invalid. The line counts from 1; it is absent where no single line is the reason. */
export type Fault = { readonly line?: number; readonly message: string }

/** Exit codes of the process; 2 is the one of a command that a person has started. */
export const EXIT = { content: 0, fault: 3, cut: 4 } as const

/** Returns the limits as the bounds of a process. */
export const toBounds = ({ renderMs, memoryBytes, outputBytes }: Limits): Bounds => ({
  ms: renderMs,
  memoryBytes,
  outputBytes,
})

export const formatTooSlow = (limits: Limits): string => formatBound('ms', toBounds(limits))
export const formatTooMuchOutput = (limits: Limits): string => formatBound('outputBytes', toBounds(limits))
