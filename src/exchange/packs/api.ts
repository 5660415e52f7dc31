/** The contract of packs: kinds and custom fields that come with the program. Browser-safe. */
import { z } from 'zod'
import { Page } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'

const Name = z
  .string()
  .min(1)
  .max(64)
  .meta({ examples: ['circuits'] })
  .describe('The name of the pack')

const fields = {
  name: z.string(),
  title: z.string(),
  description: z.string(),
  version: z.int().describe('The version that an installation brings'),
  installed: z.int().nullable().describe('The version that is installed; null for none'),
  kinds: z.array(z.string()).describe('The ids of its kinds'),
  fields: z.int().describe('How many custom fields it has'),
  objects: z.int().describe('How many objects its kinds have'),
}

export const Pack = z.object(fields).meta({ id: 'Pack' })
export type Pack = z.infer<typeof Pack>

const Rows = z.array(z.record(z.string(), z.unknown()))

const PackWithRows = z
  .object({
    ...fields,
    rows: z.object({ kinds: Rows, 'custom-fields': Rows }).describe('Its rows, as in an estate document'),
  })
  .meta({ id: 'PackWithRows' })
export type PackWithRows = z.infer<typeof PackWithRows>

const InstalledPack = z
  .object({
    name: z.string(),
    version: z.int(),
    from: z.int().nullable().describe('The version before; null for none'),
    created: z.int().describe('How many kinds and custom fields were made'),
    updated: z.int().describe('How many of them have other values now, beside their owner'),
    removed: z.int().describe('How many of them were deleted'),
    kept: z
      .array(
        z.object({
          resource: z.enum(['kinds', 'custom-fields']),
          name: z.string().describe('The id of the kind, or the resource and name of the field: `devices.tenant`'),
          field: z.string().nullable().describe('What stays as it is; null for all of it'),
        }),
      )
      .describe('What users have made or changed, and what stays as they have it'),
  })
  .meta({ id: 'InstalledPack' })

export const packs = {
  list: operation({
    name: 'packs.list',
    summary: 'List the packs of kinds and custom fields that come with Plat',
    http: 'GET /api/packs',
    access: 'kinds:list',
    scope: 'filter',
    shows: ['custom-fields', 'objects'],
    input: () => z.object(Page),
    output: () => z.array(Pack),
  }),
  get: operation({
    name: 'packs.get',
    summary: 'Show a pack with its kinds and custom fields',
    http: 'GET /api/packs/{name}',
    access: 'kinds:list',
    scope: 'filter',
    shows: ['custom-fields', 'objects'],
    input: () => z.object({ name: Name }),
    output: () => PackWithRows,
  }),
  install: operation({
    name: 'packs.install',
    summary: 'Install a pack, or upgrade it to the version of this server; what users have changed stays',
    description:
      'Makes the kinds and custom fields of the pack that are not there. An upgrade compares the version before, the new one and what ' +
      'is there: a field that a user has changed keeps the value, and a kind or custom field that a user has deleted stays deleted. ' +
      'Needs the permission to create and update both.',
    http: 'POST /api/packs/{name}/install',
    effect: 'action',
    access: 'kinds:create',
    hasHistory: true,
    isBulk: true,
    errors: [409],
    input: () => z.object({ name: Name }),
    output: () => InstalledPack,
  }),
  uninstall: operation({
    name: 'packs.uninstall',
    summary: 'Take away the kinds and custom fields of a pack that nothing uses',
    http: 'DELETE /api/packs/{name}',
    access: 'kinds:delete',
    hasHistory: true,
    errors: [409],
    input: () => z.object({ name: Name }),
    output: () => z.void(),
  }),
}
