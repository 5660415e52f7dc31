/** Collects the warnings of all features: for the page *System*, and for the log at the start. */

import type { Tables } from '../../database/tables.ts'
import type { FindWarnings, Job, Warning } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'

/** Maximum number of warnings of one kind in an answer and in the log. */
const MAX_WARNINGS_OF_A_KIND = 100
const DAY_MS = 86_400_000

export type WarningSources = () => readonly FindWarnings<Tables>[]

/** Returns the warnings of all features, in the order of the features, and the first ones of each kind. */
const collectWarnings = async (ctx: Ctx, sources: WarningSources): Promise<readonly Warning[]> => {
  const warnings: Warning[] = []
  const counts = new Map<string, number>()
  for (const find of sources())
    for (const warning of await find(ctx)) {
      const count = (counts.get(warning.kind) ?? 0) + 1
      counts.set(warning.kind, count)
      if (count <= MAX_WARNINGS_OF_A_KIND) warnings.push(warning)
    }
  return warnings
}

/** Returns the warnings about objects that the caller may list. */
export const findListedWarnings = async (ctx: Ctx, sources: WarningSources): Promise<readonly Warning[]> =>
  (await collectWarnings(ctx, sources)).filter(({ resource }) => ctx.caller.permissions.has(`${resource}:list`))

/** Logs each warning once for each process. */
export const createWarningsJob = (sources: WarningSources): Job<Tables> => {
  const logged = new Set<string>()
  return {
    name: 'system.log-warnings',
    summary: 'Logs stored objects that the rules of this version would refuse',
    everyMs: DAY_MS,
    runsAtStart: true,
    onEveryInstance: true,
    run: async (ctx) => {
      for (const { kind, resource, id, name, message } of await collectWarnings(ctx, sources)) {
        const key = `${kind} ${id}`
        if (logged.has(key)) continue
        logged.add(key)
        ctx.log.warn(message, { kind, resource, id, name })
      }
    },
  }
}
