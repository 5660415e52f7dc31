/** The value of `network_id` that stands for all networks. A file by itself, so that pages that send it import no queries. */
export const ALL_NETWORKS = '*'
