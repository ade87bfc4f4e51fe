/** Bounds for what names of types can multiply; the largest real event class has some hundred fields. */

/** Levels of types in each other. */
export const MAX_DEPTH = 128;
/** Fields of one type, those of the types in it included. */
export const MAX_SIZE = 1 << 16;
/** All classes of a trace together, shared ones counted for each use. */
export const MAX_CLASSES = 1 << 22;
/** Places that all field locations of a trace lead to, one in each option of a variant on their way. */
export const MAX_PLACES = 1 << 18;
