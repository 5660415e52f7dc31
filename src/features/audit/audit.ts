/** The audit trail as it is read: lists, proof, export, and its end. Writing it is the kernel's, through trail.ts. */

import { notFound } from '../../platform/contract/errors.ts'
import { listRows } from '../../platform/contract/list.ts'
import type { Config } from '../../platform/runtime/config/config.ts'
import { type Feature, implement } from '../ctx.ts'
import { type AuditEntry, auditRoutes, audit as contract } from './api.ts'
import { createSigner } from './chain.ts'
import { exportEntries } from './export.ts'
import { removeOld } from './retention.ts'
import * as store from './store.ts'
import { verify } from './verify.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export type AuditOptions = {
  readonly config: Pick<Config, 'auditRetentionDays' | 'encryptionKey' | 'encryptionKeyPrevious'>
}

export const auditFeature = ({ config }: AuditOptions): Feature => {
  const signer = createSigner(config)
  return {
    operations: implement(contract, {
      list: async (ctx, { limit, offset, ...filter }) =>
        listRows(ctx, {
          revision: await store.revision(ctx),
          query: store.matching(ctx, filter),
          page: { limit, offset },
          row: (entry): AuditEntry => entry,
        }),
      verify: async (ctx) => verify(ctx, signer),
      get: async (ctx, { id }) => {
        const entry = await store.find(ctx, id)
        if (!entry) throw notFound('audit entry', id)
        return entry
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
