/** The menu of one row of a list; keys do the same. */
import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Column } from '../table/column.ts'
import css from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'

type Action<T> = {
  readonly run: (row: T) => void
  /** Why not: the permission that it needs, say. */
  readonly blocked: (row: T) => string | undefined
}

export type MenuSpec<T> = {
  /** `user` */
  readonly noun: string
  readonly getName: (row: T) => string
  /** The item “Open”, where an object has a page. */
  readonly open?: ((row: T) => void) | undefined
  /** Left out where nothing can be changed. */
  readonly edit?: Action<T> | undefined
  readonly remove: Action<T>
  /** Further items of the menu. */
  readonly more?: ((row: T) => ReactNode) | undefined
}

const RowMenu = <T,>({ row, noun, getName, open, edit, remove, more }: MenuSpec<T> & { readonly row: T }) => {
  const trigger = (
    // Not reached by Tab, as nothing in a row is.
    <Button isIcon look="quiet" className={css.rowMenu} tabIndex={-1} aria-label={`Actions for ${getName(row)}`}>
      <Ellipsis size={16} aria-hidden="true" />
    </Button>
  )
  return (
    <Menu trigger={trigger}>
      {open && (
        <MenuItem onSelect={() => open(row)}>
          Open<kbd>↵</kbd>
        </MenuItem>
      )}
      {edit && (
        <MenuItem onSelect={() => edit.run(row)} blocked={edit.blocked(row)}>
          Edit<kbd>e</kbd>
        </MenuItem>
      )}
      {more?.(row)}
      {(edit ?? more) && <MenuLine />}
      <MenuItem isDanger onSelect={() => remove.run(row)} blocked={remove.blocked(row)}>
        Delete {noun}
        <kbd>#</kbd>
      </MenuItem>
    </Menu>
  )
}

/** Returns the last column of a list. */
export const buildActionsColumn = <T,>(spec: MenuSpec<T>): Column<T> => ({
  id: 'actions',
  text: 'Actions',
  isHeadHidden: true,
  width: 64,
  isRight: true,
  isEssential: true,
  cell: (row) => <RowMenu row={row} {...spec} />,
})
