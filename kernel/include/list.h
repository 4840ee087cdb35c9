/* SPDX-License-Identifier: MIT */
/* list.h - intrusive circular doubly linked list; an empty head points at itself. */
#ifndef AMALGAM_LIST_H
#define AMALGAM_LIST_H

#include <types.h>

struct list {
    struct list *next, *prev;
};

#define LIST_INIT(name)                                                                                                \
    {                                                                                                                  \
        &(name), &(name)                                                                                               \
    }
#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_for_each(pos, head)      for (pos = (head)->next; pos != (head); pos = pos->next)

static inline void list_init(struct list *head) { head->next = head->prev = head; }

static inline bool list_empty(const struct list *head) { return head->next == head; }

static inline void list_insert(struct list *node, struct list *prev, struct list *next)
{
    next->prev = node;
    node->next = next;
    node->prev = prev;
    prev->next = node;
}

static inline void list_push_back(struct list *head, struct list *node) { list_insert(node, head->prev, head); }

static inline void list_push_front(struct list *head, struct list *node) { list_insert(node, head, head->next); }

/* Remove `node`, which then points at itself, so that a second removal is harmless. */
static inline void list_remove(struct list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    list_init(node);
}

#endif
