/** The operation that reads a NetBox by its URL. The server stores the answers, and a process converts them. */

import { readWhole } from '../../base/jobs/bounded-job.ts'
import { createSpool } from '../../base/runtime/spool.ts'
import type { Outbound } from '../../base/security/outbound.ts'
import { type ConvertFile, storeNetboxPages } from '../../convert/convert.ts'
import type { PulledEstate } from '../../convert/protocol.ts'
import { getOwner } from '../../kernel/caller.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { JsonText } from '../../kernel/handler-result.ts'
import { MAX_APPLY_BYTES } from '../estate/api.ts'
import type { Slots } from '../import/import-slots.ts'

type Parts = {
  /** Shared with imports. */
  readonly slots: Slots
  readonly convertFile: ConvertFile
  /** The folder of temporary files. */
  readonly dir: string
  readonly outbound: Outbound
}

type Input = { readonly format: 'netbox'; readonly url: string; readonly token: string; readonly leftover: boolean }

export const createPullHandler =
  ({ slots, convertFile, dir, outbound }: Parts) =>
  async (ctx: Ctx, { format, url, token, leftover }: Input): Promise<JsonText<PulledEstate>> => {
    const free = slots.take(ctx.caller, ctx.now)
    const spool = createSpool({ dir })
    try {
      const length = await storeNetboxPages(outbound, { url, token, signal: ctx.signal }, spool)
      const output = await convertFile({
        job: { pages: format, withLeftover: leftover },
        field: 'url',
        // An apply takes no more, and the answer is in memory.
        outputBytes: MAX_APPLY_BYTES,
        bytes: spool.read(),
        length,
        owner: getOwner(ctx.caller),
        signal: ctx.signal,
      })
      try {
        return new JsonText((await readWhole(output)).toString())
      } finally {
        await output.close()
      }
    } finally {
      await spool.close()
      free()
    }
  }
