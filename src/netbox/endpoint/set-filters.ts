/** Filters of small sets, which are read whole. */
import { toNameKey } from '../../net/name-order.ts'
import { tagFilters } from '../endpoints/device-filters.ts'
import type { World } from '../world/world.ts'
import type { CustomFields } from './custom.ts'
import type { Choices } from './field.ts'
import { choiceFilter, type Filter, textFilter } from './filter.ts'

type Filters<Item> = Readonly<Record<string, Filter<Item>>>
type Texts<Item> = (item: Item, world: World) => readonly string[]

/** Words, all of which stand in one of the texts or another, in any case. */
export const wordsFilter = <Item>(texts: Texts<Item>): Filter<Item> => ({
  lookups: [''],
  type: 'string',
  compile: async ({ parameter, values }, world) => {
    const wanted = values
      .map((value) => toNameKey(value).split(/\s+/).filter(Boolean))
      .filter(({ length }) => length > 0)
    if (wanted.length === 0) return undefined
    return {
      name: `${parameter}=${values.join()}`,
      test: (item) => {
        const held = texts(item, world).map(toNameKey)
        return wanted.some((words) => words.every((word) => held.some((text) => text.includes(word))))
      },
    }
  },
})

/** Filters by texts of the same names. */
export const textFilters = <Item>(
  texts: Readonly<Record<string, (item: Item, world: World) => string>>,
): Filters<Item> => Object.fromEntries(Object.entries(texts).map(([name, get]) => [name, textFilter<Item>({ get })]))

/** A filter by a choice that is a custom field. */
export const customChoiceFilter = <Item>(
  custom: CustomFields<Item>,
  name: string,
  { choices, usual }: { readonly choices: Choices; readonly usual: string | null },
): Filter<Item> =>
  choiceFilter<Item>({
    choices,
    get: (item, world) => {
      const value = custom.get(item, name, world)
      return typeof value === 'string' && Object.hasOwn(choices, value) ? value : usual
    },
  })

/** Filters by tags that are a custom field. */
export const customTagFilters = <Item>(custom: CustomFields<Item>): Filters<Item> =>
  tagFilters<Item>((item, world) => [custom.get(item, 'tags', world) ?? []].flat().map(String))
