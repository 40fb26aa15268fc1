// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two transmitters on virtual chips (tests/scope), for a machine that has ACPI and
 * no device tree: PRP0001 says that a device goes by its "compatible" property.
 */

DefinitionBlock ("", "SSDT", 2, "IRTX", "TRANSMIT", 1)
{
	Scope (\_SB)
	{
		Device (SPWM)
		{
			Name (_HID, "PRP0001")
			Name (_UID, "PWM chip")
			Name (_DSD, Package () {
				ToUUID ("daffd814-6eba-4d8c-8a91-bc9bbf4aa301"),
				Package () {
					Package () { "compatible", "irtx,scope-pwm" },
				}
			})
		}

		Device (SGPI)
		{
			Name (_HID, "PRP0001")
			Name (_UID, "GPIO chip")
			Name (_DSD, Package () {
				ToUUID ("daffd814-6eba-4d8c-8a91-bc9bbf4aa301"),
				Package () {
					Package () { "compatible", "irtx,scope-gpio" },
				}
			})
		}

		Device (TPWM)
		{
			Name (_HID, "PRP0001")
			Name (_UID, "transmitter on a PWM")
			Name (_DSD, Package () {
				ToUUID ("daffd814-6eba-4d8c-8a91-bc9bbf4aa301"),
				Package () {
					Package () { "compatible", "pwm-ir-tx" },
					Package () { "pwms", Package () { \_SB.SPWM, 0, 26316 } },
				}
			})
		}

		Device (TGPI)
		{
			Name (_HID, "PRP0001")
			Name (_UID, "transmitter on a GPIO")
			Name (_CRS, ResourceTemplate () {
				GpioIo (Exclusive, PullDefault, 0, 0, IoRestrictionOutputOnly,
					"\\_SB.SGPI", 0, ResourceConsumer) { 0 }
			})
			Name (_DSD, Package () {
				ToUUID ("daffd814-6eba-4d8c-8a91-bc9bbf4aa301"),
				Package () {
					Package () { "compatible", "gpio-ir-tx" },
					Package () { "gpios", Package () { \_SB.TGPI, 0, 0, 0 } },
				}
			})
		}
	}
}
