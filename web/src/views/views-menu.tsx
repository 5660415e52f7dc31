/** The saved views of a list: open, save and change them. */
import { useQuery } from '@tanstack/react-query'
import { useRouter, useRouterState } from '@tanstack/react-router'
import { Bookmark } from 'lucide-react'
import { lazy, memo, Suspense, useState } from 'react'
import { keepMoment } from '../api/as-of.ts'
import { useMe } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'
import { pickViewSearch, type View, viewsQuery } from './views.ts'

const ViewDialogs = lazy(() => import('./view-dialogs.tsx').then((module) => ({ default: module.ViewDialogs })))

type Kind = 'save' | 'change'

type ItemsProps = {
  readonly path: string
  readonly search: string
  readonly onOpen: (kind: Kind) => void
}

/** The items of the open menu, which loads the views. */
const Items = ({ path, search, onOpen }: ItemsProps) => {
  const { history } = useRouter()
  const { id } = useMe()
  const { data = [] } = useQuery(viewsQuery)
  const here = data.filter((view) => view.path === path)
  const groups: readonly (readonly [string, readonly View[]])[] = [
    ['My views', here.filter(({ owner_id }) => owner_id === id)],
    ['Shared', here.filter(({ owner_id }) => owner_id !== id)],
  ]
  return (
    <>
      {groups.map(
        ([label, views]) =>
          views.length > 0 && (
            <MenuGroup key={label} label={label}>
              {views.map((view) => (
                <MenuItem
                  key={view.id}
                  isCurrent={view.search === search}
                  onSelect={() => history.push(keepMoment(path + view.search))}
                >
                  {view.name}
                </MenuItem>
              ))}
            </MenuGroup>
          ),
      )}
      {here.length > 0 && <MenuLine />}
      <MenuItem onSelect={() => onOpen('save')}>Save this view…</MenuItem>
      {here.length > 0 && <MenuItem onSelect={() => onOpen('change')}>Rename or delete…</MenuItem>}
    </>
  )
}

const SavedViews = () => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const search = useRouterState({ select: ({ location }) => pickViewSearch(location.searchStr) })
  const [open, setOpen] = useState<Kind>()
  // A list does not request its views; an opened menu, or the palette, does.
  const { data = [] } = useQuery({ ...viewsQuery, enabled: false })
  const isShown = data.some((view) => view.path === path && view.search === search)
  const trigger = (
    <Button isIcon aria-label="Saved views" title="Saved views">
      <Bookmark size={15} aria-hidden="true" fill={isShown ? 'currentColor' : 'none'} />
    </Button>
  )
  return (
    <>
      <Menu trigger={trigger}>
        <Items path={path} search={search} onOpen={setOpen} />
      </Menu>
      {open && (
        <Suspense>
          <ViewDialogs kind={open} path={path} search={search} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </>
  )
}

// Memoized, because lists render again at every keystroke in their filter.
export const ViewsMenu = memo(SavedViews)
