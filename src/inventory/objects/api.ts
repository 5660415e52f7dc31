/** The contract of the objects of kinds. Browser-safe. */
import { z } from 'zod'
import { idOf } from '../../contract/fields/fields.ts'
import { BulkFields, buildBulkRules, createBulkInput, createBulkOutput } from '../../kernel/bulk/bulk.ts'
import { operation } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { objectFacts } from './resource.ts'

const kindOf = { ref: 'kinds', orKind: [] as string[] }

const base = crud(objectFacts, {
  schemas: {
    kind_id: {
      input: idOf('kinds').meta(kindOf).min(1).describe('The kind, which never changes'),
      answer: z.string().meta({ orKind: kindOf.orKind }),
      filter: idOf('kinds').meta(kindOf).optional().describe('Only objects of this kind'),
    },
  },
  filters: {
    parent_id: idOf('objects').optional().describe('Only those directly below this one; empty for those at the top'),
    within: idOf('objects').optional().describe('This one and all below it'),
  },
  listArgs: ['kind_id'],
})

export const { Item: ObjectOfKind, Draft: ObjectDraft, Patch: ObjectPatch } = base
/** An object of a kind. */
export type ObjectOfKind = z.infer<typeof ObjectOfKind>

export const objects = {
  ...base.operations,
  bulk: operation({
    name: 'objects.bulk',
    summary: 'Create, update and delete up to 1,000 objects of kinds in one call',
    http: 'POST /api/objects/bulk',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    access: { anyOf: ['objects:create', 'objects:update', 'objects:delete'] },
    scope: 'checkWrite',
    maxBodyBytes: 16 * 1024 * 1024,
    input: () => createBulkInput({ object: BulkFields }),
    output: () => createBulkOutput({ object: ObjectOfKind.optional() }),
    bodyRules: () =>
      buildBulkRules('object', {
        create: ObjectDraft,
        update: ObjectPatch,
        example: { kind_id: 'circuits', name: 'CID-1' },
      }),
    recorded: () => createBulkInput({ object: base.Partial() }),
  }),
}
