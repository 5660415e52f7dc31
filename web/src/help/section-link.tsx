/** The link of an empty list to the section of the documentation about it. */
import { useLocation } from '@tanstack/react-router'
import { findSection } from './sections.ts'

export const SectionLink = () => (
  // biome-ignore lint/a11y/noAmbiguousAnchorText: the heading of the empty list is beside it
  <a href={findSection(useLocation().pathname)} target="_blank" rel="noopener" className="link">
    Learn more
  </a>
)
