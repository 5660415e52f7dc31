/** The saved views of a list: open, save and reorder them. */
import { useRouter, useRouterState } from '@tanstack/react-router'
import { Bookmark } from 'lucide-react'
import { lazy, memo, Suspense, useState } from 'react'
import { keepMoment } from '../api/as-of.ts'
import { useStore } from '../api/store.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'
import { filterViews, pickViewSearch, views } from './views.ts'

const ViewDialogs = lazy(() => import('./view-dialogs.tsx').then((module) => ({ default: module.ViewDialogs })))

const SavedViews = () => {
  const { history } = useRouter()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const search = useRouterState({ select: ({ location }) => pickViewSearch(location.searchStr) })
  const mine = filterViews(useStore(views), path)
  const [open, setOpen] = useState<'save' | 'order'>()
  const shown = mine.find((view) => view.search === search)
  const trigger = (
    <Button isIcon aria-label="Saved views" title="Saved views">
      <Bookmark size={15} aria-hidden="true" fill={shown ? 'currentColor' : 'none'} />
    </Button>
  )
  return (
    <>
      <Menu trigger={trigger}>
        {mine.length > 0 && (
          <MenuGroup label="Saved views">
            {mine.map((view) => (
              <MenuItem
                key={view.name}
                isCurrent={view === shown}
                onSelect={() => history.push(keepMoment(path + view.search))}
              >
                {view.name}
              </MenuItem>
            ))}
          </MenuGroup>
        )}
        {mine.length > 0 && <MenuLine />}
        <MenuItem onSelect={() => setOpen('save')}>Save this view…</MenuItem>
        {mine.length > 0 && <MenuItem onSelect={() => setOpen('order')}>Rename or delete…</MenuItem>}
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
