/** The feature of scanners. */
import { type Feature, implement } from '../../kernel/ctx.ts'
import { scanners } from './api.ts'
import { enrol, issueToken, revoke } from './enrolment.ts'
import { createOnlineJob, type OnlineOptions } from './online.ts'
import { rules } from './rules.ts'

export const scannersFeature = (options: OnlineOptions): Feature => ({
  operations: implement(scanners, {
    ...rules.handlers,
    create: async (ctx, input) => {
      const scanner = await rules.create(ctx, input)
      return { ...scanner, ...(await issueToken(ctx, scanner.id)) }
    },
    enrol: (ctx, { id }) => enrol(ctx, id),
    revoke: (ctx, { id }) => revoke(ctx, id),
  }),
  reactions: rules.reactions,
  jobs: [createOnlineJob(options)],
})
