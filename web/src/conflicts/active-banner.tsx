/** The active conflicts of one object, above its page. */
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { Conflict } from '../api/contracts.ts'
import { Alert } from '../ui/field.tsx'
import css from './active-banner.module.css'

export const ConflictBanner = ({ conflicts }: { readonly conflicts: readonly Conflict[] }) =>
  conflicts.length === 0 ? null : (
    <Alert>
      <ul>
        {conflicts.map(({ id, description }) => (
          <li key={id} className={css.conflict}>
            <TriangleAlert size={15} aria-hidden="true" />
            <b>{description}</b>
            <Link to="/conflicts" search={{ entry: id }} className="link">
              Compare and resolve
            </Link>
          </li>
        ))}
      </ul>
    </Alert>
  )
