/** Names and slugs of objects with a name of their own: both are unique in their kind, as in NetBox. */
import { shorten } from '../../contract/errors.ts'
import { MAX_SLUG, toNameSlug } from '../../net/slug.ts'
import type { World } from '../world/world.ts'
import type { CustomFields } from './custom.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { parseText } from './fields.ts'

export type Slugged = { readonly key: string; readonly name: string; readonly slug: string }

/** Returns all objects of the kind that the caller sees. */
type ListOthers = (world: World) => Promise<readonly Slugged[]>

const SLUG = /^[-a-zA-Z0-9_]+$/

/** @returns undefined after an error */
export const parseSlug = <Item>(value: unknown, draft: Draft<Item>): string | undefined => {
  const slug = parseText(value, draft, { isRequired: true, max: MAX_SLUG })
  if (slug === undefined || SLUG.test(slug)) return slug
  draft.refuse('Enter a valid “slug” consisting of letters, numbers, underscores or hyphens.')
  return undefined
}

type Parts<Item extends Slugged> = {
  /** In messages: `site with this slug already exists.` */
  readonly label: string
  readonly all: ListOthers
  readonly custom: CustomFields<Item>
}

const hasOther = async <Item extends Slugged>(
  draft: Draft<Item>,
  all: ListOthers,
  isSame: (one: Slugged) => boolean,
): Promise<boolean> => (await all(draft.world)).some((one) => one.key !== draft.item?.key && isSame(one))

/** A name that no other object of the kind has. @param before runs before the name is checked */
export const uniqueName = <Item extends Slugged>(
  { label, all }: Omit<Parts<Item>, 'custom'>,
  { max, before }: { readonly max: number; readonly before?: (draft: Draft<Item>) => Promise<void> },
): Field<Item> => ({
  name: 'name',
  type: { is: 'string' },
  isRequired: true,
  read: ({ name }) => name,
  write: async (value, draft) => {
    await before?.(draft)
    const name = parseText(value, draft, { isRequired: true, max })
    if (name === undefined || name === draft.item?.name) return
    if (await hasOther(draft, all, (one) => one.name === name)) draft.refuse(`${label} with this name already exists.`)
    else draft.set('name', name)
  },
})

/** The slug: that of the custom field `slug`, where one is defined, else made of the name. */
export const slugField = <Item extends Slugged>({ label, all, custom }: Parts<Item>): Field<Item> => {
  custom.reserve('slug')
  return {
    name: 'slug',
    type: { is: 'string' },
    isRequired: true,
    read: ({ slug }) => slug,
    write: async (value, draft) => {
      const slug = parseSlug(value, draft)
      const { input, item } = draft
      if (slug === undefined || (slug === item?.slug && input.name === undefined)) return
      if (await hasOther(draft, all, (one) => one.slug === slug))
        return draft.refuse(`${label} with this slug already exists.`)
      if (draft.world.getDefinitions(custom.resource).has('slug')) draft.setCustom('slug', slug)
      else if (slug !== toNameSlug(String(input.name ?? item?.name ?? '')))
        draft.refuse(
          `"${shorten(slug)}" is not made of the name: define the custom field "slug" of ${custom.resource} to keep it`,
        )
    },
  }
}
