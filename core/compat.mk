# SPDX-License-Identifier: GPL-2.0-only
# What core/compat.h must know of the kernel's headers, for whatever is built with it.

# $(call irtx-has,TEXT,HEADER,NAME): define IRTX_HAS_NAME where the kernel's
# HEADER has TEXT (see core/compat.h)
irtx-has = $(if $(shell grep -sw '$(1)' $(srctree)/include/linux/$(2)),-DIRTX_HAS_$(3))

ccflags-y += $(call irtx-has,pwm_apply_atomic,pwm.h,PWM_APPLY_ATOMIC)
ccflags-y += $(call irtx-has,pwmchip_parent,pwm.h,PWMCHIP_PARENT)
ccflags-y += $(call irtx-has,atomic_lock,pwm.h,PWM_ATOMIC_LOCK)
ccflags-y += $(call irtx-has,hrtimer_setup,hrtimer.h,HRTIMER_SETUP)
ccflags-y += $(call irtx-has,int gpiod_set_value,gpio/consumer.h,GPIO_SET_ERRNO)
ccflags-y += $(call irtx-has,gpio_device_get_label,gpio/driver.h,GPIO_DEVICE)
