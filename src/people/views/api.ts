/** The contract of saved views: a list of the web UI with its filter, by name. Browser-safe. */
import { z } from 'zod'
import { draft, flagOr, idOf, line, Name, Page, patch, Timestamp } from '../../contract/fields/fields.ts'
import { matchWhole } from '../../contract/fields/text-rules.ts'
import { operation } from '../../kernel/operation.ts'

/** Far above any number of links that fit into a menu. */
export const MAX_PINNED = 5

/** A list, or the list of a kind. */
const PATH = '/(?:[a-z-]{1,63}|kinds/[a-z][a-z0-9-]{0,49})'
const MAX_SEARCH = 4096

const Path = line(64)
  .regex(new RegExp(matchWhole(PATH)), 'must be / and 1-63 of a-z -, or /kinds/ and the id of a kind')
  .meta({ examples: ['/devices'] })
  .describe('The page of the list, such as /devices or /kinds/circuits')

const Search = line(MAX_SEARCH)
  .refine((search) => search === '' || search.startsWith('?'), { error: 'must be empty or begin with ?' })
  .meta({ exact: { pattern: '^(?:$|\\?)' }, examples: ['?q=tag:web'] })
  .nullable()
  .transform((search) => search ?? '')
  .describe('The query string of the page, with its filter, order and columns')

export const View = z
  .object({
    id: z.string(),
    name: z.string(),
    path: z.string(),
    search: z.string(),
    is_shared: z.boolean(),
    is_pinned: z.boolean().describe('Whether you have pinned it to your menu'),
    owner_id: z.string().nullable().describe('Null for a shared view whose owner was deleted'),
    owner: z.string().nullable().describe('The username of the owner'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'View', columns: ['id', 'name', 'path', 'is_shared', 'is_pinned', 'owner'] })
export type View = z.infer<typeof View>

/** A view in the menu of its user. */
export const PinnedView = View.pick({ id: true, name: true, path: true, search: true }).meta({ id: 'PinnedView' })
export type PinnedView = z.infer<typeof PinnedView>

const fields = {
  search: Search,
  is_shared: flagOr(false).describe('Whether all users see it; true needs the permission views:share'),
  is_pinned: flagOr(false).describe(`Whether it is in your menu; you may pin ${MAX_PINNED} views`),
}

export const ViewDraft = z.object({ name: Name, path: Path, ...draft(fields) })
export type ViewDraft = z.output<typeof ViewDraft>

export const ViewPatch = z.object({ id: idOf('views'), ...patch({ name: Name, path: Path, ...fields }) })
export type ViewPatch = z.output<typeof ViewPatch>

const One = z.object({ id: idOf('views') })

export const views = {
  list: operation({
    name: 'views.list',
    summary: 'List your saved views and the shared ones',
    http: 'GET /api/views',
    access: 'authenticated',
    input: () => z.object(Page),
    output: () => z.array(View),
  }),
  create: operation({
    name: 'views.create',
    summary: 'Save a view of a list of the web UI',
    http: 'POST /api/views',
    status: 201,
    effect: 'create',
    access: 'authenticated',
    errors: [403, 409],
    cli: { args: ['name', 'path'] },
    input: ViewDraft,
    output: View,
  }),
  get: operation({
    name: 'views.get',
    summary: 'Show a saved view',
    http: 'GET /api/views/{id}',
    access: 'authenticated',
    input: One,
    output: View,
  }),
  update: operation({
    name: 'views.update',
    summary: 'Change a view of yours or, with the permission views:share, a shared one; pin any that you see',
    http: 'PUT /api/views/{id}',
    access: 'authenticated',
    errors: [403, 409],
    input: ViewPatch,
    output: View,
  }),
  delete: operation({
    name: 'views.delete',
    summary: 'Delete a view of yours or, with the permission views:share, a shared one',
    http: 'DELETE /api/views/{id}',
    access: 'authenticated',
    errors: [403],
    input: One,
    output: () => z.void(),
  }),
}
