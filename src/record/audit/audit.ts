/** Reads the audit trail: lists, verification, export and retention. The kernel writes it, through trail.ts. */

import type { Config } from '../../base/config/config.ts'
import { orNotFound } from '../../contract/errors.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { JsonList } from '../../kernel/handler-result.ts'
import { countRows, listRows, type Page } from '../../kernel/list.ts'
import { type AuditEntry, type AuditFilter, audit, auditRoutes } from './api.ts'
import { createSigner } from './chain.ts'
import { exportEntries } from './export.ts'
import type { ObjectNames } from './object-names.ts'
import { removeOld } from './retention.ts'
import * as store from './store.ts'
import { verify } from './verify.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Returns a page of entries with the names of their objects, which are read together. */
const listNamed = async (
  ctx: Ctx,
  { filter, names }: { readonly filter: AuditFilter; readonly names: ObjectNames },
  { limit, offset = 0 }: Page & { readonly limit: number },
): Promise<JsonList<AuditEntry>> => {
  const revision = `${await store.readRevision(ctx)}.${await names.readRevision(ctx)}`
  const query = store.selectMatching(ctx, filter)
  async function* rows(): AsyncGenerator<string[]> {
    const entries = await query.limit(limit).offset(offset).execute()
    const objects = await names.find(ctx, entries)
    yield entries.map((entry) => JSON.stringify({ ...entry, object: objects.get(entry.id) ?? null }))
  }
  return new JsonList<AuditEntry>({ revision, total: () => countRows(query), rows })
}

export type AuditOptions = {
  readonly config: Pick<Config, 'auditRetentionDays' | 'encryptionKey' | 'encryptionKeyPrevious'>
  readonly objectNames: ObjectNames
}

export const auditFeature = ({ config, objectNames }: AuditOptions): Feature => {
  const signer = createSigner(config)
  return {
    operations: implement(audit, {
      list: async (ctx, { limit, offset, include, ...filter }) =>
        include
          ? listNamed(ctx, { filter, names: objectNames }, { limit, offset })
          : listRows(ctx, {
              revision: await store.readRevision(ctx),
              query: store.selectMatching(ctx, filter),
              page: { limit, offset },
              row: (entry): AuditEntry => entry,
            }),
      verify: async (ctx) => verify(ctx, signer),
      get: async (ctx, { id }) => {
        const entry = orNotFound(await store.find(ctx, id), 'audit entry', id)
        return { ...entry, object: (await objectNames.find(ctx, [entry])).get(id) ?? null }
      },
    }),
    routes: [{ route: auditRoutes.export, handler: exportEntries }],
    jobs: [
      {
        name: 'audit.remove-old',
        summary: 'Deletes audit entries that are older than AUDIT_RETENTION_DAYS',
        everyMs: DAY_MS,
        runsAtStart: true,
        run: (ctx) => removeOld(ctx, { days: config.auditRetentionDays, signer }),
      },
    ],
  }
}
