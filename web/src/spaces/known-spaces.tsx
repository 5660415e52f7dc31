/** The address spaces as other pages show them: a choice above a list, options of a form, and the mark of an object. */
import { queryOptions } from '@tanstack/react-query'
import { useMemo } from 'react'
import { buildListQuery } from '../resource/facts/lists.ts'
import { useIsInUse, usePermitted } from '../shell/me.ts'
import { Choice } from '../table/filter-controls.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Badge } from '../ui/primitives.tsx'
import type { Space } from './fields.ts'
import { DEFAULT, listSpaceOptions } from './known-control.ts'

export const spacesQuery = queryOptions({
  ...buildListQuery('spaces'),
  // The sidebar of every page needs it, and the live feed tells of changes.
  staleTime: 5 * 60_000,
})

const NONE: readonly Space[] = []

/** Returns all spaces but the default one; without any, no page shows one, and nothing is requested. */
export const useSpaces = (): readonly Space[] => {
  const enabled = useIsInUse('spaces')
  return usePermitted('spaces:list', { ...spacesQuery, enabled }).data ?? NONE
}

/** An object in a space; without an id in the default one. */
type InSpace = { readonly space_id?: string | null | undefined }

/** The choice of a space in the URL of a list. */
export const useSpaceChoice = () => {
  const spaces = useSpaces()
  const { search, set } = usePageSearch()
  const space = spaces.length === 0 ? undefined : search.space
  return useMemo(
    () => ({
      spaces,
      /** An id, or `default`; undefined for all. */
      space,
      holds: ({ space_id }: InSpace): boolean => space === undefined || (space_id ?? DEFAULT) === space,
      /** Input of the call that lists the same. */
      given: space === undefined ? {} : { space_id: space },
      control: spaces.length > 0 && (
        <Choice
          label="Address space"
          any="All spaces"
          value={space}
          options={[[DEFAULT, 'Default space'], ...listSpaceOptions(spaces)]}
          onChange={(value) => void set({ space: value }, { isReplace: true })}
        />
      ),
    }),
    [spaces, space, set],
  )
}

const NamedBadge = ({ id }: { readonly id: string }) => (
  <>
    {' '}
    <Badge tone="idle">
      <span className="sr">Address space </span>
      {useSpaces().find((space) => space.id === id)?.name ?? id}
    </Badge>
  </>
)

/** The name of a space beside an address or a subnet; nothing for the default one. */
export const SpaceBadge = ({ space_id }: InSpace) => (space_id ? <NamedBadge id={space_id} /> : null)
