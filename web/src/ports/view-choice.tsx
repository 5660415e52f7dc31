/** The choice between the table and the grid of ports, in the URL. */
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import css from './ports.module.css'

export const ViewChoice = () => {
  const { search, set } = usePageSearch()
  const isGrid = search.view === 'grid'
  return (
    <fieldset className={css.choice}>
      <legend className="sr">Shown as</legend>
      <Button aria-pressed={!isGrid} onClick={() => void set({ view: undefined }, { isReplace: true })}>
        Table
      </Button>
      <Button aria-pressed={isGrid} onClick={() => void set({ view: 'grid' }, { isReplace: true })}>
        Grid
      </Button>
    </fieldset>
  )
}
