/** Which columns a table has and how high its rows are. Chosen columns are in the URL, so that a link shows the same, and are remembered. */
import { Settings2 } from 'lucide-react'
import { useMemo } from 'react'
import { useStore } from '../api/store.ts'
import { preferences, setPreferences } from '../shell/preferences.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuCheck, MenuChoice, MenuGroup, MenuLine } from '../ui/menu.tsx'
import type { Column } from './column.ts'
import { looks, setCols } from './head/look.ts'
import { usePageSearch } from './list-search.ts'

export type ColumnChoice<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly isShown: (id: string) => boolean
  readonly setShown: (id: string, isShown: boolean) => void
}

/** @param list its name, by which the browser remembers the columns */
export const useColumns = <Row,>(
  list: string,
  all: readonly Column<Row>[],
  defaultColumns: readonly string[],
): ColumnChoice<Row> => {
  const { search, set } = usePageSearch()
  const remembered = useStore(looks)[list]?.cols
  const cols = search.cols ?? remembered
  // The same columns are the same list, so that no row is drawn again for it.
  const columns = useMemo(() => {
    const wanted = new Set(cols === undefined ? defaultColumns : cols.split(','))
    // The first column is always there: it names the row.
    return all.filter(({ id, isHeadHidden }, index) => index === 0 || isHeadHidden || wanted.has(id))
  }, [all, defaultColumns, cols])
  const isShown = (id: string) => columns.some((column) => column.id === id)
  return {
    columns,
    isShown,
    setShown: (id, isOn) => {
      const ids = all.map((column) => column.id).filter((one) => (one === id ? isOn : isShown(one)))
      const isDefault = ids.length === defaultColumns.length && ids.every((one) => defaultColumns.includes(one))
      const chosen = isDefault ? undefined : ids.join(',')
      setCols(list, chosen)
      void set({ cols: chosen }, { isReplace: true })
    },
  }
}

type MenuProps<Row> = { readonly all: readonly Column<Row>[]; readonly choice: ColumnChoice<Row> }

export const ColumnsMenu = <Row,>({ all, choice }: MenuProps<Row>) => {
  const { density } = useStore(preferences)
  const trigger = (
    <Button isIcon aria-label="Columns and density">
      <Settings2 size={15} aria-hidden="true" />
    </Button>
  )
  return (
    <Menu trigger={trigger}>
      <MenuGroup label="Columns">
        {all.slice(1).map(
          ({ id, text, isHeadHidden }) =>
            !isHeadHidden && (
              <MenuCheck key={id} isOn={choice.isShown(id)} onChange={(isOn) => choice.setShown(id, isOn)}>
                {text}
              </MenuCheck>
            ),
        )}
      </MenuGroup>
      <MenuLine />
      <MenuChoice
        label="Density"
        value={density}
        options={[
          ['compact', 'Compact'],
          ['comfortable', 'Comfortable'],
        ]}
        onChange={(value) => setPreferences({ density: value })}
      />
    </Menu>
  )
}
