/** A link in a row that opens the drawer of the row, with a URL of its own. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

type Props = { readonly id: string; readonly children: ReactNode }

export const EntryLink = ({ id, children }: Props) => (
  // Not reached by Tab, as nothing in a row is.
  <Link to="." search={(old: object) => ({ ...old, entry: id })} tabIndex={-1}>
    {children}
  </Link>
)
