/** Renders Liquid templates, each in a process of its own. The only entry to this folder for the rest of the program. */

import { createFairLane, type Owner } from '../base/jobs/fair-lane.ts'
import { AppError, invalidField } from '../contract/errors.ts'
import { type Result, runProcess } from './child-process.ts'
import type { Fault, Limits, Write } from './protocol.ts'

/** Renderings that wait while one is in progress. */
export const MOST_WAITING = 32
/** The time after which a client should try again. */
const RETRY_AFTER_MS = 10_000

const LIMITS: Limits = { renderMs: 10_000, memoryBytes: 512 * 2 ** 20, outputBytes: 16 * 2 ** 20 }

export type Wait = {
  /** A user and its feed. Users take turns, and so do the feeds of a user. */
  readonly owner: Owner
  /** Ends the wait, and the process. */
  readonly signal?: AbortSignal | undefined
}

export type Rendering = Wait & {
  readonly template: string
  /** Sends the documents, see `Send`. It is awaited also when the rendering has failed. */
  readonly write: Write
}

export type Templates = {
  /**
   * Checks the syntax of a template.
   * @returns its first fault
   * @throws AppError UNAVAILABLE when too many wait
   */
  readonly check: (template: string, wait: Wait) => Promise<Fault | undefined>
  /**
   * Renders a template over the documents that `write` sends.
   * @returns the whole text as UTF-8
   * @throws AppError VALIDATION_ERROR on the field `template`; UNAVAILABLE when too many wait
   */
  readonly render: (rendering: Rendering) => Promise<Uint8Array>
}

const unavailable = (): AppError =>
  new AppError('UNAVAILABLE', `The server renders one template at a time, and ${MOST_WAITING} wait: try again later`, {
    retryAt: new Date(Date.now() + RETRY_AFTER_MS),
  })

const formatFault = ({ line, message }: Fault): string => (line === undefined ? message : `line ${line}: ${message}`)

const getContentOrThrow = (result: Result): Uint8Array => {
  if ('content' in result) return result.content
  throw invalidField('template', formatFault(result.fault))
}

/** @param limits other limits than the usual ones */
export const createTemplates = (limits: Partial<Limits> = {}): Templates => {
  const all: Limits = { ...LIMITS, ...limits }
  const lane = { atOnce: 1, waiting: MOST_WAITING, refusal: unavailable }
  const renderings = createFairLane(lane)
  // A template is saved without waiting for renderings.
  const checks = createFairLane(lane)
  const write = async () => {}
  return {
    check: (template, { owner, signal }) =>
      checks.run(
        owner,
        async () => {
          const result = await runProcess({ request: { template, isCheck: true, limits: all }, write, signal })
          return 'fault' in result ? result.fault : undefined
        },
        signal,
      ),
    render: ({ template, write, owner, signal }) =>
      renderings.run(
        owner,
        async () =>
          getContentOrThrow(await runProcess({ request: { template, isCheck: false, limits: all }, write, signal })),
        signal,
      ),
  }
}
