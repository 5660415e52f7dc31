/** The column of names. */
import { Link } from '@tanstack/react-router'
import type { Column } from '../table/column.ts'
import { cutName } from '../ui/row-link.tsx'

type Named = { readonly id: string; readonly name: string }

/** @param page of an object. Without one, a name opens the form of its object. */
export const buildNameColumn = <T extends Named>(width: number, page?: '/roles/$id' | '/webhooks/$id'): Column<T> => ({
  ...{ id: 'name', text: 'Name', width, isSortable: true, isEssential: true },
  cell: ({ id, name }) => (
    <Link
      {...(page ? { to: page, params: { id } } : { to: '.', search: { edit: id } })}
      tabIndex={-1}
      {...cutName(name)}
    />
  ),
})
