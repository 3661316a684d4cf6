/* SPDX-License-Identifier: Apache-2.0 */
/**
 * An image that was uploaded runs on trial. It may be confirmed once it has proved itself: the rig
 * started, its engine lived for a while, and a host was answered. Unconfirmed, it is given up.
 *
 * Without a bootloader (CONFIG_RIG_UPDATE) there is no trial, and nothing here does anything.
 */
#ifndef RIG_TRIAL_H
#define RIG_TRIAL_H

#ifdef CONFIG_RIG_UPDATE

/** Find out whether this image is on trial, and watch the image group; first thing in main(). */
void rig_trial_begin(void);

/** Proof: the rig started. */
void rig_trial_rig_started(void);

/** Proof: the guard saw the engine live just now. */
void rig_trial_engine_lives(void);

/** Proof: a request of the rig group was answered; from any thread. */
void rig_trial_host_speaks(void);

#else

static inline void rig_trial_begin(void)
{
}

static inline void rig_trial_rig_started(void)
{
}

static inline void rig_trial_engine_lives(void)
{
}

static inline void rig_trial_host_speaks(void)
{
}

#endif

#endif
